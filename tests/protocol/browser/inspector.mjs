// The MCP Inspector's page, as a user would use it with `notes`.
//   node inspector.mjs CHROMIUM FOLDER ADDRESS   prints what was read at each step.
import { connect, visits } from './visits.mjs';

await visits(async (page) => {
  const { seen, shows } = await connect(page);
  await page.click('radio', 'Tools');
  await shows('tools', 'Tools (4)');
  await page.click('button', /^Add a note/);
  await page.fill('text', 'buy milk');
  await page.fill('topic', 'shop');
  await page.click('button', 'Execute Tool');
  await shows('added', '"text": "buy milk"');
  await page.click('radio', 'Resources');
  await page.click('button', 'Recent notes');
  await shows('resource', '"text": "buy milk"');
  await page.click('radio', 'Prompts');
  await page.click('button', /^Summarize a topic/);
  await page.fill('topic', 'shop');
  await page.click('button', 'Get Prompt');
  await shows('prompt', 'Summarize my notes on shop');
  await page.click('radio', 'Tools');
  for (const [answer, button] of [['declined', 'Decline'], ['approved', 'Submit']]) {
    await page.click('button', /^Delete a note/);
    await page.fill('id', '1');
    await page.click('button', 'Execute Tool');
    await shows(`asked-before-${answer}`, 'Allow `Delete a note` to run');
    await page.click('button', button);
    await page.until('end of the question', async () => !(await page.text()).includes('Allow `Delete a note`'));
    await page.until('result', async () => (await page.all('heading', 'Results')).length > 0);
    await page.picture(answer);
    seen[answer] = await page.text();
    await page.click('button', 'Close results');
  }
  return seen;
});
