// The MCP Inspector's page on a server at which a person logs in.
//   node inspector_login.mjs CHROMIUM FOLDER ADDRESS WHO   prints what was read at each step.
import { launch } from './chromium.mjs';

const [program, folder, address, who] = process.argv.slice(2);
const browser = await launch(program, folder);
const seen = {};
try {
  const page = await browser.open(address);
  const shows = async (name, text) => {
    await page.says(text);
    await page.picture(name);
    seen[name] = await page.text();
  };
  await page.click('switch', /^Connect/);
  // The login, at the authorization server.
  await page.until('form to log in', () => page.evaluate('Boolean(document.forms[0]?.elements.login)'));
  seen.asked = await page.address();
  await page.picture('login');
  await page.type('[name=login]', who);
  await page.type('[name=password]', 'any');
  await page.click('button', /sign.?in/i);
  await page.says('Authorize');
  await page.picture('consent');
  await page.click('button', /continue/i);
  // Back in the Inspector, which goes on by itself.
  await page.click('radio', 'Tools');
  await shows('tools', 'Tools (');
  await page.click('button', /whoami/);
  await page.click('button', 'Execute Tool');
  await shows('called', 'may notes:read');
  console.log(JSON.stringify(seen));
} finally {
  await browser.close();
}
