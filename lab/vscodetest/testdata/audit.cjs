// Takes the picture of the beginning of an audit's page: audit.cjs PAGE PICTURE.
'use strict';
const { pathToFileURL } = require('node:url');
const { open } = require('./browser.cjs');

async function main(file, picture) {
  const { browser, page } = await open({ viewport: { width: 1040, height: 700 } });
  try {
    await page.goto(pathToFileURL(file).href);
    await page.screenshot({ path: picture });
  } finally {
    await browser.close();
  }
}

main(...process.argv.slice(2)).catch(error => {
  console.error(error);
  process.exit(1);
});
