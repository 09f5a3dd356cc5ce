/**
 * Builds the release before this one from the history of the repository, for tests that run both releases beside each
 * other. It is built with the packages that are installed in this checkout, so only the code of the project differs.
 */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT } from './checkout.ts'
import { runIn } from './packed.ts'

/**
 * Commit of the former release: the newest one that users may still run when they upgrade to this checkout. Set it to
 * the commit of the tag whenever a release is published. Until the first tag exists, it is an earlier commit of `main`.
 */
const FORMER_RELEASE = '93edd51c9000368cccbdbdfc56d176e7b93102de'

const CHECKOUT = fileURLToPath(ROOT)

function isInHistory(commit: string): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: CHECKOUT, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Says why the former release cannot be built; false if it can. */
export const noFormerRelease: string | false = isInHistory(FORMER_RELEASE)
  ? false
  : `The commit of the former release (${FORMER_RELEASE.slice(0, 8)}) is not here: a shallow clone and a package of the sources have no history.`

export interface FormerRelease {
  /** Arguments of node that start its service. */
  program: readonly string[]
  remove(): Promise<void>
}

export async function buildFormerRelease(): Promise<FormerRelease> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-former-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const sources = join(folder, 'sources.tar')
    await runIn(CHECKOUT, 'git', 'archive', '--format=tar', '-o', sources, FORMER_RELEASE)
    await runIn(folder, 'tar', '-xf', sources)
    await rm(sources)
    await symlink(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'))
    await runIn(folder, 'npm', 'run', 'build')
  } catch (error) {
    await remove()
    throw error
  }
  return { program: [join(folder, 'dist/src/start.js')], remove }
}
