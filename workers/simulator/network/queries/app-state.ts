import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { type BinaryNode, childBytes, children, node } from '../../wire/node.ts'
import { collectionOf } from '../app-state.ts'
import { appendPatch, learnPatch } from '../app-state-phone.ts'
import type { Companion, Network } from '../model.ts'
import type { Answer } from './query.ts'

function syncCollection(network: Network, companion: Companion, asked: BinaryNode): BinaryNode {
  const { person } = companion
  const { name = '', version = '0' } = asked.attrs
  const collection = collectionOf(person, name)
  const written = childBytes(asked, 'patch')
  if (!written) {
    // patches from version 1 on are taken without a snapshot
    const missing = collection.patches.slice(Number(version)).map((patch) => node('patch', {}, patch))
    const content = missing.length > 0 ? [node('patches', {}, missing)] : []
    return node('collection', { name, version: collection.version, has_more_patches: false }, content)
  }
  if (Number(version) !== collection.version) {
    return node('collection', { name, version: collection.version, type: 'error' }, [
      node('error', { code: 409, text: 'conflict' }),
    ])
  }
  const patch = proto.SyncdPatch.decode(written)
  learnPatch(network, person, name, patch)
  appendPatch(network, person, name, patch, companion)
  return node('collection', { name, version: collection.version })
}

export const APP_STATE_QUERIES: Record<string, Answer> = {
  'w:sync:app:state set sync': ({ network, companion, subject }) => [
    node(
      'sync',
      {},
      children(subject, 'collection').map((asked) => syncCollection(network, companion, asked)),
    ),
  ],
}
