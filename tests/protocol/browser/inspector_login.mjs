// The MCP Inspector's page on a server at which a person logs in.
//   node inspector_login.mjs CHROMIUM FOLDER ADDRESS WHO   prints what was read at each step.
import { connect, logIn, visits } from './visits.mjs';

await visits(async (page, who) => {
  const { seen, shows } = await connect(page);
  seen.asked = await logIn(page, who);
  await page.click('button', /continue/i);
  // Back in the Inspector, which goes on by itself.
  await page.click('radio', 'Tools');
  await shows('tools', 'Tools (');
  await page.click('button', /whoami/);
  await page.click('button', 'Execute Tool');
  await shows('called', 'may notes:read');
  return seen;
});
