import { cp, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ROOT } from './checkout.ts'
import { runIn, unpackPacked } from './packed.ts'

export const CLIENT = fileURLToPath(new URL('packages/client/', ROOT))
const COMPILER = fileURLToPath(new URL('node_modules/typescript/bin/tsc', ROOT))

const OPTIONS = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  module: 'NodeNext',
  target: 'ES2022',
  lib: ['ES2023', 'DOM', 'DOM.AsyncIterable'],
  types: [],
  rootDir: 'src',
  outDir: 'out',
}

export interface ClientProject {
  folder: string
  installed: string
  // biome-ignore lint/suspicious/noExplicitAny: the installed package has its types in the empty project only
  load(name: string): Promise<any>
  compile(programs: Readonly<Record<string, string>>, compiler?: string): Promise<string>
}

export async function installClient(): Promise<ClientProject> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-client-'))
  const source = join(folder, 'package')
  await cp(CLIENT, source, { recursive: true, filter: (path) => !/(\/dist|\/node_modules)$/.test(path) })
  await runIn(source, process.execPath, COMPILER, '-p', '.')
  const installed = join(folder, 'node_modules/svc-client')
  await unpackPacked(source, installed)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }))
  return {
    folder,
    installed,
    load: (name) => import(pathToFileURL(join(installed, 'dist', name)).href),
    async compile(programs, compiler = COMPILER) {
      await mkdir(join(folder, 'src'), { recursive: true })
      for (const [name, text] of Object.entries(programs)) await writeFile(join(folder, `src/${name}.ts`), text)
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, include: ['src'] }))
      await runIn(folder, process.execPath, compiler, '-p', '.')
      return join(folder, 'out')
    },
  }
}
