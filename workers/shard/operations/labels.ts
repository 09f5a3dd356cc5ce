import { Failure } from '../../../src/domain/failures.ts'
import type { ReplyOfEndpoint } from '../../../src/features/endpoint.ts'
import { assertBusiness } from '../connection/identity.ts'
import type { ChatEntry, LabelEntry } from '../directory/entries.ts'
import { actionOf, isLabel, type LabelAction } from '../directory/labels.ts'
import { labelChange, labelledChange } from '../wire/app-state-actions.ts'
import { cutOrEmpty } from '../wire/bounds.ts'
import { identifierOf } from '../wire/jid.ts'
import { chatAt } from './chats/target.ts'
import type { ActionContext, Handlers } from './types.ts'

type Label = ReplyOfEndpoint<typeof import('../../../src/features/labels.ts').create>

const DONE = { value: true } as const

const MAX_LABELS = 20
const MAX_CHATS = 5_000
const MAX_NAME = 100
const MAX_COLOR = 19

async function readyFor({ session, directory }: ActionContext) {
  assertBusiness(session, 'Labels need a business account.')
  await directory.ready()
}

function known({ directory }: ActionContext, id: string): LabelEntry {
  const label = directory.label(id)
  if (!label || !isLabel(label)) throw new Failure('label_not_found')
  return label
}

function calling({ session }: ActionContext) {
  const names = new Map<ChatEntry, Promise<string>>()
  const nameOf = async ({ id, other }: ChatEntry) =>
    id.endsWith('@g.us') ? identifierOf(id) : (await session.identity.person(id, other)).phone
  return (chat: ChatEntry): Promise<string> => {
    const name = names.get(chat) ?? nameOf(chat)
    names.set(chat, name)
    return name
  }
}

async function labelObject(
  { directory }: ActionContext,
  label: LabelEntry,
  called: (chat: ChatEntry) => Promise<string>,
): Promise<Label> {
  const { name, color } = actionOf(label)
  return {
    id: label.id,
    name: cutOrEmpty(name, MAX_NAME),
    color: Math.min(Math.max(0, color ?? 0), MAX_COLOR),
    chats: await Promise.all(directory.labelled(label.id).slice(0, MAX_CHATS).map(called)),
  }
}

/**
 * Changes a label. The change is based on the newest version of the label, because the phone clears fields that a
 * change omits.
 */
async function edit(context: ActionContext, id: string, change: LabelAction): Promise<Label> {
  await readyFor(context)
  const { ask, session, clock } = context
  await ask.run(() =>
    session.change({
      collection: 'regular',
      make: () => [labelChange(id, { ...actionOf(known(context, id)), ...change }, clock.now())],
    }),
  )
  return labelObject(context, context.directory.label(id)!, calling(context))
}

async function putOn(context: ActionContext, { phone, label_id }: PutOn, isOn: boolean) {
  await readyFor(context)
  known(context, label_id)
  const chat = await chatAt(context, phone)
  await context.ask.run(() => context.session.change([labelledChange(label_id, chat.id, isOn, context.clock.now())]))
  return DONE
}
type PutOn = { phone: Parameters<typeof chatAt>[1]; label_id: string }

export const labels: Handlers<typeof import('../../../src/features/labels.ts')> = {
  async 'labels.list'(context) {
    await readyFor(context)
    const called = calling(context)
    const first = context.directory.labels().slice(0, MAX_LABELS)
    return { data: await Promise.all(first.map((label) => labelObject(context, label, called))) }
  },

  async 'labels.create'(context, { name, color }) {
    await readyFor(context)
    const { ask, session, directory, clock } = context
    let id = ''
    await ask.run(() =>
      session.change({
        collection: 'regular',
        make() {
          if (directory.labels().length >= MAX_LABELS)
            throw new Failure('not_allowed', {
              message: `The account already has ${MAX_LABELS} labels, which is the maximum; delete one first.`,
            })
          id = directory.nextLabelId()
          return [labelChange(id, { name, color, deleted: false, isActive: true }, clock.now())]
        },
      }),
    )
    return labelObject(context, known(context, id), calling(context))
  },

  'labels.update': (context, { label_id, name, color }) =>
    edit(context, label_id, { ...(name === undefined ? {} : { name }), ...(color === undefined ? {} : { color }) }),

  async 'labels.delete'(context, { label_id }) {
    await edit(context, label_id, { deleted: true })
    return DONE
  },

  'labels.addToChat': (context, input) => putOn(context, input, true),
  'labels.removeFromChat': (context, input) => putOn(context, input, false),
}
