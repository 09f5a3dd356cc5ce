/**
 * Must be evaluated before any module of Baileys in the thread: import it on the first line of the module that first imports Baileys. It contains
 * only corrections that cannot be applied later.
 */
import { shareAsyncLocalStorage } from './async-storage.ts'

shareAsyncLocalStorage()
