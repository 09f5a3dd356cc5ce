/**
 * Prints the folder of the program of Node 24, the version in the image: node scripts/shipped-node.mjs. If this process
 * runs on another version, Node 24 is fetched first. Nothing is printed if that is not possible on this machine.
 */
import { dirname } from 'node:path'
import { fetchedNode } from './node-runtime.mjs'

const program = process.versions.node.startsWith('24.') ? process.execPath : fetchedNode(24)
if (program !== undefined) process.stdout.write(`${dirname(program)}\n`)
