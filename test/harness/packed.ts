import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)
/** Milliseconds. On a busy machine, a build of the whole service takes some minutes. */
const TIME_LIMIT = 600_000

/** Runs a program in this folder, and resolves with its output. Rejects with the output if the program fails. */
export const runIn = (cwd: string, file: string, ...args: string[]): Promise<string> =>
  execute(file, args, { cwd, timeout: TIME_LIMIT, maxBuffer: 16 * 2 ** 20 }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }) => {
      throw new Error(`${file} ${args.join(' ')}: ${`${stdout}${stderr}`.slice(0, 4_000)}`)
    },
  )

/**
 * Packs the package in `source`, which must be built, and unpacks it into the folder `to`, without its dependencies.
 */
export async function unpackPacked(source: string, to: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-packed-'))
  try {
    await runIn(source, 'npm', 'pack', '--ignore-scripts', '--pack-destination', folder)
    const [archive = ''] = await readdir(folder)
    await mkdir(to, { recursive: true })
    await runIn(folder, 'tar', '-xzf', archive, '-C', to, '--strip-components=1')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
