// A person who is brought to an address, logs in and says yes, or no.
//   node login.mjs CHROMIUM FOLDER ADDRESS WHO yes|no   prints what the last page says.
import { logIn, visits } from './visits.mjs';

await visits(async (page, who, answer) => {
  await logIn(page, who);
  if (answer === 'yes') await page.click('button', /continue/i);
  else await page.click('link', /cancel/i);
  await page.says('You can close this window');
  await page.picture('back');
  return { address: await page.address(), text: await page.text() };
});
