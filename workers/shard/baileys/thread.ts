/** Everything that is done once per thread, in the order it must be done. The first import of whatever runs Baileys in a thread. */
import './first.ts'
import './curve.ts'
import { type ConsoleTarget, redirectConsole } from './console.ts'
import { corkWebSockets } from './cork.ts'
import { surviveRejections, type ThreadError } from './rejections.ts'
import { limitStackTraces } from './stack-limit.ts'
import { configureTrust, type Trust } from './trust.ts'

export interface ThreadSetup {
  trust: Trust
  console: ConsoleTarget
  /** What nobody caught. The thread goes on. */
  onStray(stray: ThreadError): void
  /** Frames kept of a stack; more of them while developing. */
  stackFrames?: number
}

export function prepareThread({ trust, console, onStray, stackFrames }: ThreadSetup): void {
  configureTrust(trust)
  redirectConsole(console)
  corkWebSockets()
  limitStackTraces(stackFrames)
  surviveRejections(onStray)
}
