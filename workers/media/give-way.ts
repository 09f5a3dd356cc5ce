/**
 * Lowers the priority of the calling thread alone: on a small machine a large body or picture then takes the processor that nobody else
 * wants, instead of keeping requests and sessions waiting. Linux only, where a thread has a number of its own that priorities know.
 */
import { readlinkSync } from 'node:fs'
import { constants, setPriority } from 'node:os'

export function giveWay(): void {
  let thread: number
  try {
    // `<process>/task/<thread>`, of whoever reads it.
    thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL)
}
