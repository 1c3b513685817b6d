// A Chromium that is controlled with the Chrome DevTools Protocol (CDP) over two pipes.
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

// The maximum time that a script waits for a change of a page, in milliseconds.
const PATIENCE = 180_000;

// The timeout of one command to the browser, in milliseconds.
const ANSWER = 15_000;

// The exit code if a page crashed or no longer responds.
const DEAD = 75;

// The maximum number of consecutive commands without a response. After that, the page counts as dead.
const MAX_LOST = 4;

const FLAGS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-extensions', '--no-pings',
  '--font-render-hinting=none', '--remote-debugging-pipe', '--window-size=1400,1000',
];

// Starts `program` with a separate profile in `folder`, which also receives the screenshots.
export async function launch(program, folder) {
  const profile = join(folder, 'profile');
  rmSync(profile, { recursive: true, force: true });
  mkdirSync(profile, { recursive: true });
  const child = spawn(program, [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  const browser = new Browser(child, folder, profile);
  await browser.send('Target.setDiscoverTargets', { discover: true });
  return browser;
}

class Browser {
  #child;
  #count = 0;
  #waiting = new Map();
  #said = '';
  #lost = 0;

  constructor(child, folder, profile) {
    this.#child = child;
    this.folder = folder;
    this.profile = profile;
    child.stderr.on('data', (piece) => { this.#said = (this.#said + piece).slice(-4000); });
    // The `exit` event reports that the browser has ended.
    child.stdio[3].on('error', () => {});
    child.stdio[4].on('error', () => {});
    const gone = (why) => {
      this.gone = new Error(`the browser: ${why}\n${this.#said}`);
      for (const { reject } of this.#waiting.values()) reject(this.gone);
      this.#waiting.clear();
    };
    child.on('error', gone);
    child.on('exit', (code, signal) => gone(`ended with ${code ?? signal}`));
    let kept = Buffer.alloc(0);
    child.stdio[4].on('data', (piece) => {
      kept = Buffer.concat([kept, piece]);
      for (let end = kept.indexOf(0); end >= 0; end = kept.indexOf(0)) {
        this.#hear(JSON.parse(kept.subarray(0, end).toString()));
        kept = kept.subarray(end + 1);
      }
    });
  }

  #hear({ id, method, params, result, error }) {
    if (method === 'Target.targetCrashed') this.#die(`a page crashed: ${JSON.stringify(params)}`);
    const asked = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) asked?.reject(new Error(`${asked.method}: ${JSON.stringify(error)}`));
    else asked?.resolve(result);
  }

  // Ends this program. Its caller may try again, because the browser failed, not the page under test.
  #die(why) {
    console.error(why);
    this.#child.kill('SIGKILL');
    process.exit(DEAD);
  }

  send(method, params = {}, sessionId = undefined) {
    this.#count += 1;
    const id = this.#count;
    return new Promise((resolve, reject) => {
      if (this.gone) {
        reject(this.gone);
        return;
      }
      // A page that navigates may lose a command, so callers that wait for something send it again.
      const late = setTimeout(() => {
        this.#lost += 1;
        if (this.#lost > MAX_LOST) this.#die(`${this.#lost} questions without an answer; the last was ${method}`);
        this.#hear({ id, error: `${method} has no answer` });
      }, ANSWER);
      const then = (settle) => (value) => { clearTimeout(late); settle(value); };
      const answer = (value) => { this.#lost = 0; resolve(value); };
      this.#waiting.set(id, { method, resolve: then(answer), reject: then(reject) });
      this.#child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  // Opens a page at this URL.
  async open(url) {
    const { targetId } = await this.send('Target.createTarget', { url });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    return new Page(this, sessionId);
  }

  async close() {
    this.#child.kill('SIGKILL');
    await new Promise((resolve) => { this.#child.once('close', resolve); });
    rmSync(this.profile, { recursive: true, force: true });
  }
}

class Page {
  constructor(browser, session) {
    this.browser = browser;
    this.session = session;
    this.pictures = 0;
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  // Returns the value of an expression in the page.
  async evaluate(expression, contextId) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
      expression, contextId, returnByValue: true, awaitPromise: true,
    });
    if (exceptionDetails) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
    return result.value;
  }

  // Returns the value of an expression in the innermost frame, whose page has a different origin.
  async evaluateInside(expression) {
    let { frameTree } = await this.send('Page.getFrameTree');
    while (frameTree.childFrames?.length) [frameTree] = frameTree.childFrames;
    const frameId = frameTree.frame.id;
    const { executionContextId } = await this.send('Page.createIsolatedWorld', { frameId });
    return this.evaluate(expression, executionContextId);
  }

  address() { return this.evaluate('location.href'); }

  // Returns the text that a user can read on the page.
  text() { return this.evaluate('document.body?.innerText ?? ""'); }

  // Waits until `look` finds something. A page that is navigating finds nothing.
  async until(what, look) {
    const end = Date.now() + PATIENCE;
    let last;
    while (Date.now() < end) {
      try {
        const found = await look();
        if (found) return found;
      } catch (error) {
        if (this.browser.gone) throw error;
        last = error;
      }
      await sleep(50);
    }
    await this.picture('missing');
    const [address, text] = [await this.address(), await this.text()];
    throw new Error(`no ${what} at ${address} ${last ?? ''}\n${text}`);
  }

  says(text) {
    return this.until(`text "${text}"`, async () => (await this.text()).includes(text));
  }

  // Returns the elements with this role and name in the accessibility tree, in document order.
  async all(role, name) {
    const { root } = await this.send('DOM.getDocument', { depth: 0 });
    const { nodes } = await this.send('Accessibility.queryAXTree', { backendNodeId: root.backendNodeId, role });
    const fits = (node) => (name instanceof RegExp ? name.test(node.name?.value ?? '') : node.name?.value === name);
    return nodes.filter((node) => !node.ignored && (name === undefined || fits(node)));
  }

  // Returns the center of such an element, once it exists and does not move.
  async #place(role, name, nth) {
    let before;
    return this.until(`${role} ${name ?? ''}`, async () => {
      const found = (await this.all(role, name)).at(nth);
      if (!found || found.properties.some((it) => it.name === 'disabled' && it.value.value)) return undefined;
      const backendNodeId = found.backendDOMNodeId;
      await this.send('DOM.scrollIntoViewIfNeeded', { backendNodeId });
      const { quads: [quad] } = await this.send('DOM.getContentQuads', { backendNodeId });
      const place = { x: (quad[0] + quad[4]) / 2, y: (quad[1] + quad[5]) / 2 };
      const still = before && before.x === place.x && before.y === place.y;
      before = place;
      return still && await this.#isHit(backendNodeId, place) && place;
    });
  }

  // Returns whether a click at this point reaches the element: an overlay that fades out may still cover it.
  async #isHit(backendNodeId, { x, y }) {
    // The location is relative to the document, not to the window.
    const [left, top] = await this.evaluate('[scrollX, scrollY]');
    const location = { x: Math.round(x + left), y: Math.round(y + top) };
    const hit = await this.send('DOM.getNodeForLocation', { ...location, includeUserAgentShadowDOM: false });
    const [own, found] = await Promise.all([backendNodeId, hit.backendNodeId].map(
      async (id) => (await this.send('DOM.resolveNode', { backendNodeId: id })).object.objectId,
    ));
    const { result } = await this.send('Runtime.callFunctionOn', {
      objectId: own,
      functionDeclaration: `function (hit) {
        const labels = [...(this.labels ?? [])];
        return [this, this.parentElement, ...labels].some((one) => one.contains(hit)) || hit.contains(this);
      }`,
      arguments: [{ objectId: found }],
      returnByValue: true,
    });
    return result.value;
  }

  async click(role, name, nth = 0) {
    for (let attempts = 3; ; attempts -= 1) {
      const place = await this.#place(role, name, nth);
      const press = (type, button) => this.send('Input.dispatchMouseEvent', { type, ...place, button, clickCount: 1 });
      try {
        await press('mouseMoved', 'none');
        await press('mousePressed', 'left');
      } catch (error) {
        // A busy browser rejects an event ("Internal error").
        if (this.browser.gone || attempts === 1) throw error;
        continue;
      }
      // A page that navigates when the button is pressed loses the release event. The effect is checked afterwards.
      await press('mouseReleased', 'left').catch((error) => { if (this.browser.gone) throw error; });
      return;
    }
  }

  // Replaces the text of a field, and repeats this until the field contains the text: a re-render may discard it.
  async fill(name, text, role = 'textbox', nth = 0) {
    await this.until(`text in ${role} ${name}`, async () => {
      await this.click(role, name, nth);
      await this.send('Input.dispatchKeyEvent', { type: 'keyDown', commands: ['selectAll'] });
      await this.send('Input.insertText', { text });
      return await this.evaluate('document.activeElement?.value') === text;
    });
  }

  // Types into the first element of a selector.
  async type(selector, text) {
    await this.evaluate(`document.querySelector(${JSON.stringify(selector)}).focus()`);
    await this.send('Input.insertText', { text });
  }

  // Writes a screenshot to a file, if the browser can take one.
  async picture(name) {
    this.pictures += 1;
    // A page that navigates or a busy browser may fail. A screenshot only helps to understand a failed test.
    let shot;
    for (const end = Date.now() + 10_000; !shot && Date.now() < end;) {
      shot = await this.send('Page.captureScreenshot', { format: 'png' }).catch((error) => {
        if (this.browser.gone) throw error;
      });
      if (!shot) await sleep(100);
    }
    if (!shot) {
      console.error(`the browser takes no picture of ${name}`);
      return undefined;
    }
    const { data } = shot;
    const path = join(this.browser.folder, `${String(this.pictures).padStart(2, '0')}-${name}.png`);
    writeFileSync(path, Buffer.from(data, 'base64'));
    return path;
  }
}
