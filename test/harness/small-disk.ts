/** A small real file system that a test can fill. It is mounted for the test, and removed afterwards. */
import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SmallDisk {
  dir: string
  /** Uses all free space except for this number of bytes, as another program could. */
  fill(butBytes?: number): void
  release(): void
  unmount(): void
}

export type FileSystem = 'tmpfs' | 'ext4'

/** Mounts a small file system. If this machine cannot do that, returns the reason to skip the test. */
export function mountSmallDisk(kind: FileSystem, megabytes: number): SmallDisk | string {
  if (process.platform !== 'linux') return `${process.platform} has no small file system to mount`
  if (process.getuid?.() !== 0) return 'mounting a small file system needs root'
  const place = mkdtempSync(join(tmpdir(), 'svc-disk-'))
  const dir = join(place, 'disk')
  const image = join(place, 'image')
  const run = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  try {
    run('mkdir', dir)
    if (kind === 'tmpfs') run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', dir)
    else {
      run('truncate', '-s', `${megabytes}m`, image)
      run('mkfs.ext4', '-q', '-F', '-m', '0', image)
      run('mount', '-o', 'loop', image, dir)
    }
  } catch (error) {
    rmSync(place, { recursive: true, force: true })
    return `${kind} cannot be mounted here: ${String((error as Error).message)
      .split('\n')
      .slice(0, 2)
      .join(' ')}`
  }
  const filler = join(dir, 'filler')
  return {
    dir,
    fill(butBytes = 0) {
      if (butBytes > 0) {
        const reserve = join(dir, 'reserve')
        write(reserve, butBytes)
        write(filler, Number.POSITIVE_INFINITY)
        unlinkSync(reserve)
      } else write(filler, Number.POSITIVE_INFINITY)
    },
    release: () => rmSync(filler, { force: true }),
    unmount() {
      run('umount', '-l', dir)
      rmSync(place, { recursive: true, force: true })
    },
  }
}

/**
 * Writes `bytes` bytes, or as many as the disk has room for. Large pieces come first, because they are fast; smaller
 * ones then fill the rest exactly.
 */
function write(path: string, bytes: number): void {
  const fd = openSync(path, 'a')
  let left = bytes
  try {
    for (const size of [1_048_576, 4_096, 1]) {
      const piece = Buffer.alloc(size, 1)
      try {
        while (left >= size) left -= writeSync(fd, piece)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    }
  } finally {
    closeSync(fd)
  }
}
