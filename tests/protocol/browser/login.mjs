// A person who is brought to an address, logs in and says yes, or no.
//   node login.mjs CHROMIUM FOLDER ADDRESS WHO yes|no   prints what the last page says.
import { launch } from './chromium.mjs';

const [program, folder, address, who, answer] = process.argv.slice(2);
const browser = await launch(program, folder);
try {
  const page = await browser.open(address);
  await page.until('form to log in', () => page.evaluate('Boolean(document.forms[0]?.elements.login)'));
  await page.picture('login');
  await page.type('[name=login]', who);
  await page.type('[name=password]', 'any');
  await page.click('button', /sign.?in/i);
  await page.says('Authorize');
  await page.picture('consent');
  if (answer === 'yes') await page.click('button', /continue/i);
  else await page.click('link', /cancel/i);
  await page.says('You can close this window');
  await page.picture('back');
  console.log(JSON.stringify({ address: await page.address(), text: await page.text() }));
} finally {
  await browser.close();
}
