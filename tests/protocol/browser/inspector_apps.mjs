// The MCP Inspector's page shows the form of `notes`, an MCP App that saves a note.
//   node inspector_apps.mjs CHROMIUM FOLDER ADDRESS   prints what was read at each step.
import { connect, visits } from './visits.mjs';

// Loads an image and sends a request from the page, and returns what the policy of the page blocked.
const TRY_FOREIGN = `new Promise((resolve) => {
  const blocked = [];
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
    blocked.push(effectiveDirective + ' ' + blockedURI);
    if (blocked.length === 2) resolve(blocked.sort());
  });
  const image = document.createElement('img');
  image.src = 'https://foreign.example/image.png';
  const script = document.createElement('script');
  script.textContent = "fetch('https://foreign.example/data').catch(() => {})";
  document.body.append(image, script);
})`;

await visits(async (page) => {
  const { seen, shows } = await connect(page);
  await page.click('radio', /^Apps/);
  await shows('apps', 'MCP Apps (1)');
  await page.click('button', /^Add a note/);
  await page.fill('text', 'buy milk');
  await page.fill('topic', 'shop');
  await page.click('button', 'Open App');
  const fields = '[...document.forms[0].elements].map((field) => field.value).join("|")';
  // The client tells the page the arguments of the call.
  seen.form = await page.until('form', async () => {
    const values = await page.evaluateInside(fields);
    return values.includes('buy milk') && values;
  });
  await page.picture('form');
  await page.evaluateInside('document.forms[0].requestSubmit()');
  seen.saved = await page.until('confirmation', () => page.evaluateInside('document.querySelector("output").value'));
  await page.picture('saved');
  seen.blocked = await page.evaluateInside(TRY_FOREIGN);
  return seen;
});
