/**
 * Installs the package `svc-sandbox` beside an unmodified Baileys, packed and unpacked as from a registry. Its
 * dependencies are links to the packages of this checkout.
 */
import { cp, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT } from './checkout.ts'
import { runIn, unpackPacked } from './packed.ts'

const at = (path: string) => fileURLToPath(new URL(path, ROOT))

export interface EmptyProject {
  folder: string
  installed: string
  compile(name: string, source: string): Promise<string>
}

export async function installSandbox(): Promise<EmptyProject> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-sandbox-'))
  const source = join(folder, 'package')
  await cp(at('packages/sandbox'), source, { recursive: true, filter: (path) => !/\/(dist|node_modules)$/.test(path) })
  await runIn(folder, process.execPath, at('packages/sandbox/build.mjs'), join(source, 'dist'))
  const installed = join(folder, 'node_modules/svc-sandbox')
  await unpackPacked(source, installed)
  const { dependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  for (const name of [...Object.keys(dependencies), '@whiskeysockets/baileys', '@types/node']) {
    const link = join(folder, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(at(`node_modules/${name}`), link)
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }))
  return { folder, installed, compile: (name, program) => compile(folder, name, program) }
}

/**
 * Compiler options. The types of libraries are not checked, because those of Baileys need packages that Baileys does
 * not install.
 */
const OPTIONS = { strict: true, module: 'NodeNext', target: 'ES2023', types: ['node'], skipLibCheck: true }

async function compile(folder: string, name: string, program: string): Promise<string> {
  await writeFile(join(folder, `${name}.ts`), program)
  const project = join(folder, `${name}.json`)
  await writeFile(project, JSON.stringify({ compilerOptions: OPTIONS, files: [`${name}.ts`] }))
  await runIn(folder, process.execPath, at('node_modules/typescript/bin/tsc'), '-p', project)
  return join(folder, `${name}.js`)
}
