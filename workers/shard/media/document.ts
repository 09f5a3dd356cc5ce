/** Sends documents unchanged, with their name and their type, which the extension determines. */
import type { proto } from '@whiskeysockets/baileys'
import { DOCUMENT_LIMIT, type MediaInput } from '../../../src/domain/media.ts'
import type { SendContext } from '../send/contract.ts'
import type { Destination } from '../send/destination.ts'
import { mimeOf } from './extensions.ts'
import { uploadAsItComes } from './upload.ts'

export interface FileNames {
  extension?: string | undefined
  file_name?: string | undefined
}

export async function documentMessage(
  context: SendContext,
  to: Pick<Destination, 'kind'>,
  input: MediaInput,
  names: FileNames,
): Promise<proto.Message.IDocumentMessage> {
  const { fileName, extension } = named(names)
  const uploaded = await uploadAsItComes(context, to, 'document', input, DOCUMENT_LIMIT)
  return { ...uploaded, mimetype: mimeOf(extension), fileName, title: fileName }
}

/**
 * Returns the name and the extension of a document. The extension is appended if the name lacks it. If no extension is
 * given, that of the name is used; it is '' if the name has none.
 */
export function named({ extension, file_name: name = '' }: FileNames): { fileName: string; extension: string } {
  const own = /\.([A-Za-z0-9]{1,16})$/.exec(name)?.[1] ?? ''
  const wanted = extension ?? own
  const isThere = own.toLowerCase() === wanted.toLowerCase()
  return { fileName: isThere && name !== '' ? name : `${name || 'file'}${wanted && `.${wanted}`}`, extension: wanted }
}
