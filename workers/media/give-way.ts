/**
 * Lowers the priority of the calling thread alone: on a small machine a large body or picture then uses only spare processor time, instead of
 * delaying requests and sessions. Linux only, where each thread has an id that a priority can be set for.
 */
import { readlinkSync } from 'node:fs'
import { constants, setPriority } from 'node:os'

export function giveWay(): void {
  let thread: number
  try {
    // The link reads `<process>/task/<thread>`, for the calling thread.
    thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL)
}
