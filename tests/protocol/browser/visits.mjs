// Functions that the scripts share.
import { launch } from './chromium.mjs';

// Opens the URL from the command line, and prints the result of `visit(page, ..)`, which receives the other arguments.
export async function visits(visit) {
  const [program, folder, address, ...rest] = process.argv.slice(2);
  const browser = await launch(program, folder);
  try {
    console.log(JSON.stringify(await visit(await browser.open(address), ...rest)));
  } finally {
    await browser.close();
  }
}

// Connects the MCP Inspector. `shows(name, text)` waits for a text, and then stores the text of the page in `seen`.
export async function connect(page) {
  const seen = {};
  const shows = async (name, text) => {
    await page.says(text);
    await page.picture(name);
    seen[name] = await page.text();
  };
  await page.click('switch', /^Connect/);
  return { seen, shows };
}

// Logs in at the authorization server, until it asks for consent; returns the address of its form.
export async function logIn(page, who) {
  await page.until('form to log in', () => page.evaluate('Boolean(document.forms[0]?.elements.login)'));
  const address = await page.address();
  await page.picture('login');
  await page.type('[name=login]', who);
  await page.type('[name=password]', 'any');
  await page.click('button', /sign.?in/i);
  await page.says('Authorize');
  await page.picture('consent');
  return address;
}
