import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { type BinaryNode, childBytes, children, node } from '../../wire/node.ts'
import { collectionOf } from '../app-state.ts'
import { appendPatch, learnPatch, snapshotOf } from '../app-state-phone.ts'
import type { Companion, Network } from '../model.ts'
import type { Answer } from './query.ts'

async function syncCollection(network: Network, companion: Companion, asked: BinaryNode): Promise<BinaryNode> {
  const { person } = companion
  const { name = '', version = '0' } = asked.attrs
  const collection = collectionOf(person, name)
  const written = childBytes(asked, 'patch')
  if (!written) {
    const snapshot = asked.attrs.return_snapshot === 'true' ? await snapshotOf(network, person, name) : null
    if (snapshot) {
      const reference = proto.ExternalBlobReference.encode(proto.ExternalBlobReference.fromObject(snapshot)).finish()
      const content = node('snapshot', {}, Buffer.from(reference))
      return node('collection', { name, version: collection.version, has_more_patches: false }, [content])
    }
    // A client without data may receive all patches, from version 1 on, in place of a snapshot.
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
  'w:sync:app:state set sync': async ({ network, companion, subject }) => {
    const answers: BinaryNode[] = []
    // A device writes to several collections in a given order, so they are handled one after the other.
    for (const asked of children(subject, 'collection')) answers.push(await syncCollection(network, companion, asked))
    return [node('sync', {}, answers)]
  },
}
