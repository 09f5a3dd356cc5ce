import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { zip } from './zip.ts'

const FOLDERS = ['../../extension', '../../../extension'].map((path) => fileURLToPath(new URL(path, import.meta.url)))

const FOLDER = 'svc-passkey-extension'

async function filesIn(folder: string) {
  const names = (await readdir(folder)).sort()
  return Promise.all(names.map(async (name) => ({ name: `${FOLDER}/${name}`, content: await readFile(join(folder, name)) })))
}

async function make(): Promise<Uint8Array<ArrayBuffer> | undefined> {
  for (const folder of FOLDERS) {
    const files = await filesIn(folder).catch(() => undefined)
    if (files !== undefined) return zip(files)
  }
  return undefined
}

/**
 * Returns the archive of the browser extension, which is created on the first request. Resolves with undefined if the
 * service was installed without the folder of the extension.
 */
export function createExtension(): () => Promise<Uint8Array<ArrayBuffer> | undefined> {
  let made: ReturnType<typeof make> | undefined
  return () => {
    made ??= make()
    return made
  }
}
