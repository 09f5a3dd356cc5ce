/** Compiles a library in C that a process preloads, so that its system calls fail or take longer. */
import { execFileSync } from 'node:child_process'

/**
 * Compiles `source`, the path of a C file, to `library`. Returns false, or the reason why this machine cannot preload
 * such a library.
 */
export function compilePreloaded(source: string, library: string, ...flags: string[]): string | false {
  if (process.platform !== 'linux') return 'needs LD_PRELOAD'
  try {
    execFileSync('cc', ['-shared', '-fPIC', ...flags, '-o', library, source, '-ldl'], { stdio: 'pipe' })
    return false
  } catch (error) {
    return `no library can be made here: ${String((error as Error).message).split('\n')[0]}`
  }
}
