import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Test } from 'tap';

import { answerWith, type RecordingBackend, startRecordingBackend } from './backend.js';
import { startTestGateway, type TestGateway } from './gateway.js';

/** Whatever these start ends with the test, in reverse order: a gateway before the backend behind it. */

/** A backend that records; it answers an empty message unless told otherwise. */
export async function useBackend(t: Test, answer: RecordingBackend['answer'] = answerWith('')) {
  return ending(t, await startRecordingBackend(answer));
}

/** A gateway from a configuration text. `directory` is where its relative paths start. */
export async function useGateway(t: Test, yaml: string, directory: string | null = null): Promise<TestGateway> {
  return ending(t, await startTestGateway(yaml, directory));
}

/** A folder of its own with these files; the names of files may have folders. */
export async function useFolder(t: Test, files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'soapstone-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

function ending<T extends { close(): unknown }>(t: Test, started: T): T {
  t.teardown(() => started.close());
  return started;
}
