/**
 * Measures the time that the disk alone needs. A service that stores data before it confirms the data cannot be faster
 * than this.
 */
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Summary, summary } from './numbers.ts'

/** Content of one page of lmdb. */
const PAGE = Buffer.alloc(4_096, 1)
/**
 * Number of pages that are written before each `fdatasync`. They have about as many bytes as the commit of one received
 * text.
 */
const PAGES = 8
const FILE_PAGES = 4_096
/** Pause in ms after each `fdatasync`. */
const PAUSE = 5

/**
 * Measures the time in ms of `fdatasync` after some pages of a file in this folder were overwritten. It does so `count`
 * times.
 */
export async function syncTimes(dir: string, count: number): Promise<Summary> {
  const path = join(dir, 'sync.dat')
  const file = openSync(path, 'w', 0o600)
  try {
    for (let page = 0; page < FILE_PAGES; page++) writeSync(file, PAGE, 0, PAGE.length, page * PAGE.length)
    fdatasyncSync(file)
    const times: number[] = []
    for (let turn = 0; turn < count; turn++) {
      // The pages are far apart in the file, like the pages of a tree that a commit changes.
      for (let page = 0; page < PAGES; page++)
        writeSync(file, PAGE, 0, PAGE.length, ((turn * 37 + page * 509) % FILE_PAGES) * PAGE.length)
      const began = performance.now()
      fdatasyncSync(file)
      times.push(performance.now() - began)
      await sleep(PAUSE)
    }
    return summary(times)
  } finally {
    closeSync(file)
    rmSync(path)
  }
}
