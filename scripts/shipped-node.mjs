/**
 * Prints the folder that contains the program of Node 24, which the image ships: node scripts/shipped-node.mjs. The program is fetched if this process
 * runs on another version. Nothing is printed if the machine has none and cannot fetch it.
 */
import { dirname } from 'node:path'
import { fetchedNode } from './node-runtime.mjs'

const program = process.versions.node.startsWith('24.') ? process.execPath : fetchedNode(24)
if (program !== undefined) process.stdout.write(`${dirname(program)}\n`)
