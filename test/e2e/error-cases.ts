/**
 * Lists the ways to make immediate operations fail, other than by an error code of the network (`network-codes.ts`).
 * `test/contract/error-cases.test.ts` compares both tables with the declarations of the operations.
 */
import type { FailureCode } from '../../src/domain/failures.ts'
import type { Json } from '../harness/stage.ts'

export interface Places {
  person: string
  nobody: string
  group: string
  community: string
  channel: string
  product: string
  /** URL of a file that is not an image; `gone` is the URL of an image that cannot be downloaded. */
  noPicture: string
  gone: string
}

export interface ErrorCase {
  operation: string
  code: FailureCode
  input(places: Places): Json
  isPerson?: true
  network?: { xmlns: string; error: [code: number, text: string] } | 'restricted'
  /** Settings of the instance during the case. They are set to null afterwards. */
  settings?: Json
}

const PICTURES: Readonly<Record<string, (places: Places, picture: string) => Json>> = {
  'groups.updatePhoto': ({ group: group_id }, value) => ({ group_id, value }),
  'communities.updatePhoto': ({ community: community_id }, value) => ({ community_id, value }),
  'newsletters.updatePicture': ({ channel: newsletter_id }, value) => ({ newsletter_id, value }),
  'newsletters.create': (_, picture) => ({ name: 'News', picture }),
  'profile.updatePicture': (_, value) => ({ value }),
  'business.createProduct': (_, picture) => ({ name: 'Mouse', images: [picture] }),
  'business.updateProduct': ({ product: product_id }, picture) => ({ product_id, images: [picture] }),
}

const NO_LABEL = '4999'

export const CASES: readonly ErrorCase[] = [
  ...Object.entries(PICTURES).flatMap(([operation, input]): ErrorCase[] => [
    { operation, code: 'media_invalid', input: (places) => input(places, places.noPicture) },
    { operation, code: 'media_download_failed', input: (places) => input(places, places.gone) },
  ]),
  ...['business.profile', 'business.products'].map(
    (operation): ErrorCase => ({ operation, code: 'phone_not_on_whatsapp', input: ({ nobody: phone }) => ({ phone }) }),
  ),
  {
    operation: 'business.collections',
    code: 'product_not_found',
    input: () => ({ phone: '5511955550003' }),
    network: { xmlns: 'usync', error: [404, 'item-not-found'] },
  },
  { operation: 'business.collections', code: 'invalid_phone', input: ({ nobody: phone }) => ({ phone }) },
  { operation: 'contacts.report', code: 'group_not_found', input: () => ({ phone: '120363000000000000-group' }) },
  {
    operation: 'chats.expiration',
    code: 'shadow_ban',
    input: ({ person: phone }) => ({ phone, value: 0 }),
    network: 'restricted',
  },
  {
    operation: 'chats.expiration',
    code: 'held_by_send_safety',
    input: ({ person: phone }) => ({ phone, value: 0 }),
    settings: { pause_after_unanswered: 1 },
  },
  { operation: 'chats.get', code: 'chat_not_found', input: ({ nobody: phone }) => ({ phone }) },
  {
    operation: 'chats.star',
    code: 'message_not_found',
    input: ({ person: phone }) => ({ phone, message_id: 'NOBODYWROTEIT', value: true }),
  },
  ...['labels.addToChat', 'labels.removeFromChat'].map(
    (operation): ErrorCase => ({
      operation,
      code: 'label_not_found',
      input: ({ person: phone }) => ({ phone, label_id: NO_LABEL }),
    }),
  ),
  { operation: 'labels.list', code: 'not_allowed', input: () => ({}), isPerson: true },
]
