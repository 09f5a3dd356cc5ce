/** Downloads pictures that the media hosts of the network serve to everyone. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { get, type RequestOptions } from 'node:https'
import { urlToHttpOptions } from 'node:url'
import type { World } from './world.ts'

export async function pictureAt({ network }: Pick<World, 'network'>, address: string | RequestOptions): Promise<Buffer> {
  const ca = await readFile(network.network.ca)
  return new Promise((resolve, reject) => {
    get({ ...(typeof address === 'string' ? urlToHttpOptions(new URL(address)) : address), ca }, (response) => {
      assert.equal(response.statusCode, 200)
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('end', () => resolve(Buffer.concat(pieces)))
      response.on('error', reject)
    }).on('error', reject)
  })
}
