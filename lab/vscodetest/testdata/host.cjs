// Runs a suite inside the extension host of a real VS Code: host.cjs HOST FOLDER EXTENSION SUITE, where the extension is
// one under development, which may be empty, since others run no tests. The exit status is the suite's. Standard output is
// what the suite says of its cases, and when one failed, whatever else the window has logged.
'use strict';
const { open, address } = require('./browser.cjs');

/**
 * A built workbench runs tests only with its smoke test driver on, which no address can turn on: the settings in the page are
 * changed before the workbench reads them.
 */
function enableTests() {
  new MutationObserver((_, observer) => {
    const meta = document.getElementById('vscode-workbench-web-configuration');
    if (!meta) return;
    observer.disconnect();
    const settings = JSON.parse(meta.dataset.settings);
    settings.developmentOptions = { ...settings.developmentOptions, enableSmokeTestDriver: true };
    meta.dataset.settings = JSON.stringify(settings);
  }).observe(document, { childList: true, subtree: true });
}

async function main([host, folder, extension, suite]) {
  const { browser, page } = await open();
  const verdict = new Promise(resolve => page.exposeFunction('codeAutomationExit', resolve));
  const logged = [];
  await page.exposeFunction('codeAutomationLog', (level, args) => {
    const line = String(args);
    if (line.startsWith('suite: ')) console.log(line);
    else logged.push(`[${level}] ${line}`);
  });
  await page.addInitScript(enableTests);
  const remote = path => `vscode-remote://${host}${path}`;
  await page.goto(address(host, folder, [
    ['extensionDevelopmentPath', remote(extension)], ['extensionTestsPath', remote(suite)], ['skipWelcome', 'true'],
  ]));
  process.exitCode = await verdict;
  if (process.exitCode !== 0) console.log(logged.join('\n'));
  await browser.close();
}

main(process.argv.slice(2)).catch(error => {
  console.error(error);
  process.exit(1);
});
