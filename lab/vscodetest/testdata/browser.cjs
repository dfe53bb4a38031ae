// The browser in which a person would sit: Debian's Chromium, driven by playwright-core.
'use strict';
const { chromium } = require('playwright-core');

const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];

/** How long a test waits for what should take a second, in milliseconds. */
exports.patience = 180_000;

/** Opens a page of the size of a laptop's window. */
exports.open = async () => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, headless: true, args: flags });
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
  page.setDefaultTimeout(exports.patience);
  return { browser, page };
};

/** The address of the workbench with a folder open and a payload of settings. */
exports.address = (host, folder, payload) =>
  `http://${host}/?${new URLSearchParams({ folder, payload: JSON.stringify(payload) })}`;
