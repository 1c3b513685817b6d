// The MCP Inspector's page with a server that requires a login.
//   node inspector_login.mjs CHROMIUM FOLDER ADDRESS WHO   prints what was read at each step.
import { connect, logIn, visits } from './visits.mjs';

await visits(async (page, who) => {
  const { seen, shows } = await connect(page);
  seen.asked = await logIn(page, who);
  await page.click('button', /continue/i);
  // The redirect returns to the Inspector, which continues automatically.
  await page.click('radio', 'Tools');
  await shows('tools', 'Tools (');
  await page.click('button', /whoami/);
  await page.click('button', 'Execute Tool');
  await shows('called', 'may notes:read');
  return seen;
});
