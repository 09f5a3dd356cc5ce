/**
 * Must be evaluated before any module of Baileys in the thread: import it on the first line of the module that imports Baileys first.
 * Holds only what cannot be put in place later.
 */
import { shareAsyncLocalStorage } from './async-storage.ts'

shareAsyncLocalStorage()
