// The page of the example `chat`, as a user would use it.
//   node chat.mjs CHROMIUM FOLDER ADDRESS   prints what was read at each step.
import { visits } from './visits.mjs';

await visits(async (page) => {
  const seen = {};
  const lines = () => page.evaluate('[...document.querySelectorAll("#log > div")].map((it) => it.className + ": " + it.textContent)');
  const say = async (text) => {
    await page.until('field', () => page.evaluate('Boolean(document.querySelector("form input"))'));
    await page.type('form input', text);
    await page.click('button', 'Send');
  };
  // Sends a text, and waits until the run has ended, which disables the stop button.
  const ask = async (name, text) => {
    const before = (await lines()).length;
    await say(text);
    seen[name] = await page.until(`end of ${name}`, async () => {
      const said = (await lines()).slice(before);
      return said.length > 1 && await page.evaluate('document.querySelector("#stop").disabled') && said;
    });
    await page.picture(name);
  };
  await page.until('page', () => page.evaluate('document.title === "Chat"'));
  await page.evaluate('window.confirm = (question) => { window.asked = question; return window.answer; }; window.answer = false');
  await ask('weather', 'weather in Rome');
  await ask('declined', 'transfer 50 to Ada');
  seen.question = await page.evaluate('window.asked');
  await page.evaluate('window.answer = true');
  await ask('approved', 'transfer 60 to Bob');
  await ask('painted', 'paint_page red');
  seen.color = await page.evaluate('document.body.style.background');
  await page.evaluate('document.body.style.background = ""');
  await ask('failed', 'fail');
  await say('weather in Oslo');
  await page.click('button', 'Stop');
  await page.says('stopped');
  seen.stopped = (await lines()).slice(-1);
  await page.picture('stopped');
  return seen;
});
