/** GraphQL operations about channels that whatsmeow uses, with the ids of the web client of 2023. */
import type { Document } from './document.ts'
import { create, join, leave, mute, ownNewsletters } from './newsletter-documents.ts'

export const WHATSMEOW_DOCUMENTS: Document[] = [
  {
    name: 'CreateNewsletter',
    ids: ['6234210096708695'],
    path: 'xwa2_newsletter_create',
    answer: (request) => create({ ...request, variables: { input: request.variables.newsletter_input } }),
  },
  { name: 'SubscribedNewsletters', ids: ['6388546374527196'], path: 'xwa2_newsletter_subscribed', answer: ownNewsletters },
  { name: 'FollowNewsletter', ids: ['9926858900719341'], path: 'xwa2_newsletter_join_v2', answer: join },
  { name: 'UnfollowNewsletter', ids: ['6392786840836363'], path: 'xwa2_newsletter_leave_v2', answer: leave },
  {
    name: 'MuteNewsletter',
    ids: ['6274038279359549'],
    path: 'xwa2_newsletter_mute_v2',
    answer: (request) => mute(request, true),
  },
  {
    name: 'UnmuteNewsletter',
    ids: ['6068417879924485'],
    path: 'xwa2_newsletter_unmute_v2',
    answer: (request) => mute(request, false),
  },
]
