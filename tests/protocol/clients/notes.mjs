// The requests of a client to the server `notes`, the same for both generations of the SDK.

/** Parses the target from the command line: `http URL` or `stdio COMMAND ARGUMENT…`. */
export function target([kind, ...rest]) {
  return kind === 'http' ? { url: new URL(rest[0]) } : { command: rest[0], args: rest.slice(1), stderr: 'inherit' };
}

/** Accepts the first question, and declines all others. */
export function user(questions) {
  return async (request) => {
    questions.push(request.params.message);
    return questions.length === 1 ? { action: 'accept', content: {} } : { action: 'decline' };
  };
}

/** Returns the outcome of a request: its result or its error. */
async function outcome(request) {
  try {
    return await request;
  } catch (error) {
    return { error: { code: error.code, message: error.message, data: error.data } };
  }
}

/** Uses every feature, in the order that the Rust test expects, and returns all observations. */
export async function visit(client, callWithProgress) {
  const call = (name, args) => outcome(client.callTool({ name, arguments: args }));
  const read = (uri) => outcome(client.readResource({ uri }));
  const prompt = (name, args) => outcome(client.getPrompt({ name, arguments: args }));
  const complete = async (ref, name, value) => (await client.complete({ ref, argument: { name, value } })).completion;
  const template = { type: 'ref/resource', uri: 'note://{id}' };
  const seen = { server: client.getServerVersion(), instructions: client.getInstructions() };

  seen.tools = (await client.listTools()).tools;
  seen.added = await call('add_note', { text: 'buy milk', topic: 'shop' });
  seen.addedWithDefault = await call('add_note', { text: 'pay rent' });
  seen.found = await call('search_notes', { query: 'milk' });
  seen.wrongType = await call('add_note', { text: { no: 'text' } });
  seen.missingArgument = await call('add_note', { topic: 'shop' });
  seen.refusedByTheTool = await call('add_note', { text: '  ' });
  seen.unknownTool = await call('no_such_tool', {});

  seen.resources = (await client.listResources()).resources;
  seen.templates = (await client.listResourceTemplates()).resourceTemplates;
  seen.recent = await read('notes://recent');
  seen.note = await read('note://1');
  seen.unknownNote = await read('note://99');
  seen.unknownResource = await read('nothing://here');

  seen.prompts = (await client.listPrompts()).prompts;
  seen.prompt = await prompt('summarize', { topic: 'shop', sentences: '2' });
  seen.promptWithout = await prompt('summarize', {});
  seen.promptWithBad = await prompt('next_step', { id: 'first' });
  seen.unknownPrompt = await prompt('no_such_prompt', {});
  seen.topics = await complete({ type: 'ref/prompt', name: 'summarize' }, 'topic', 's');
  seen.ids = await complete(template, 'id', '');

  seen.progress = [];
  seen.imported = await outcome(callWithProgress(
    { name: 'import_notes', arguments: { texts: ['one', 'two'] } },
    { onprogress: (progress) => seen.progress.push(progress) },
  ));
  seen.deleted = await call('delete_note', { id: 2 });
  seen.afterDelete = await read('note://2');
  seen.declined = await call('delete_note', { id: 1 });
  seen.afterDecline = await read('note://1');
  return seen;
}
