// A user who opens a URL, logs in, and grants or denies consent.
//   node login.mjs CHROMIUM FOLDER ADDRESS WHO yes|no   prints the text of the last page.
import { logIn, visits } from './visits.mjs';

await visits(async (page, who, answer) => {
  await logIn(page, who);
  if (answer === 'yes') await page.click('button', /continue/i);
  else await page.click('link', /cancel/i);
  await page.says('You can close this window');
  await page.picture('back');
  return { address: await page.address(), text: await page.text() };
});
