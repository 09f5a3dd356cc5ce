import { node, seconds } from '../../wire/node.ts'
import type { Newsletter, Post } from '../newsletter-model.ts'
import { LIVE_UPDATES, listedPost, watchLive } from '../newsletters.ts'
import { type Answer, QueryError } from './query.ts'

const MAX_LISTED = 300

function found(newsletter: Newsletter | undefined): Newsletter {
  if (!newsletter) throw new QueryError(404, 'item-not-found')
  return newsletter
}

function listed({ posts }: Newsletter, { after, before, count }: Record<string, string | undefined>): Post[] {
  const wanted = posts.filter(
    ({ serverId }) => (after === undefined || serverId > Number(after)) && (before === undefined || serverId < Number(before)),
  )
  return wanted.slice(-Math.min(Number(count ?? MAX_LISTED), MAX_LISTED))
}

const messagesOf = (newsletter: Newsletter, posts: Post[]) =>
  node('messages', { jid: newsletter.id, t: seconds() }, posts.map(listedPost))

export const NEWSLETTER_QUERIES: Record<string, Answer> = {
  'newsletter set live_updates': ({ network, companion, item }) => {
    watchLive(found(network.newsletters.get(item.attrs.to ?? '')), companion)
    return [node('live_updates', { duration: LIVE_UPDATES })]
  },
  'newsletter get message_updates': ({ network, item, subject }) => {
    const newsletter = found(network.newsletters.get(item.attrs.to ?? ''))
    return [node('message_updates', {}, [messagesOf(newsletter, listed(newsletter, subject.attrs))])]
  },
  'newsletter get messages': ({ network, subject }) => {
    const { jid, key } = subject.attrs
    const newsletter = found([...network.newsletters.values()].find((item) => item.id === jid || item.invite === key))
    return [messagesOf(newsletter, listed(newsletter, subject.attrs))]
  },
}
