/** The browser extension of `extension/`, as a zip archive that is unpacked and loaded as it is. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { zip } from './zip.ts'

/** Seen from the sources, and from what is compiled of them. */
const FOLDERS = ['../../extension', '../../../extension'].map((path) => fileURLToPath(new URL(path, import.meta.url)))

/** Folder in the archive: what somebody unpacks lands in one place. */
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

/** Made once, when somebody asks for it. Undefined where the service was installed without the folder. */
export function createExtension(): () => Promise<Uint8Array<ArrayBuffer> | undefined> {
  let made: ReturnType<typeof make> | undefined
  return () => {
    made ??= make()
    return made
  }
}
