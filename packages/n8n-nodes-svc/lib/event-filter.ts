/** The form fields with which both triggers select events, and the filter that they define. */
import type { INodeProperties } from 'n8n-workflow'
import type { EventType, SvcEvent } from '../../client/src/event.ts'
import { messageTypes } from '../generated/form.ts'

export interface EventFilter {
  events: EventType[]
  messageTypes: string[]
  chats: 'all' | 'groups' | 'private'
  ownMessages: boolean
}

export const filterProperties: INodeProperties[] = [
  {
    displayName: 'Events',
    name: 'events',
    type: 'multiOptions',
    required: true,
    options: [
      { name: 'Chat Presence', value: 'chat_presence', description: 'Somebody is typing, recording or online' },
      { name: 'Delivery', value: 'delivery', description: 'The outcome of a send that was made through the API' },
      { name: 'Instance Status', value: 'instance_status', description: 'The status of the instance has changed' },
      { name: 'Message Status', value: 'message_status', description: 'A receipt: sent, delivered, read or played' },
      { name: 'Received', value: 'received', description: 'A message of any kind, or a change in a chat or group' },
    ],
    default: ['received'],
  },
  {
    displayName: 'Message Types',
    name: 'messageTypes',
    type: 'multiOptions',
    options: messageTypes,
    default: [],
    description: 'Received messages that start the workflow; all of them if none is chosen',
    displayOptions: { show: { events: ['received'] } },
  },
  {
    displayName: 'Chats',
    name: 'chats',
    type: 'options',
    options: [
      { name: 'All', value: 'all' },
      { name: 'Groups', value: 'groups' },
      { name: 'Private', value: 'private' },
    ],
    default: 'all',
    description: 'Chats whose received messages start the workflow',
    displayOptions: { show: { events: ['received'] } },
  },
  {
    displayName: 'Own Messages',
    name: 'ownMessages',
    type: 'boolean',
    default: false,
    description:
      'Whether messages that the account itself has sent start the workflow, too. The instance must have <code>notify_sent_by_me</code> for that. A workflow that answers messages would answer itself.',
    displayOptions: { show: { events: ['received'] } },
  },
]

export function filterOf(node: { getNodeParameter(name: string, fallback?: unknown): unknown }): EventFilter {
  return {
    events: node.getNodeParameter('events') as EventType[],
    messageTypes: node.getNodeParameter('messageTypes', []) as string[],
    chats: node.getNodeParameter('chats', 'all') as EventFilter['chats'],
    ownMessages: node.getNodeParameter('ownMessages', false) as boolean,
  }
}

export function isWanted(event: SvcEvent, { events, messageTypes, chats, ownMessages }: EventFilter): boolean {
  if (!events.includes(event.type)) return false
  if (event.type !== 'received') return true
  if (messageTypes.length > 0 && !messageTypes.includes(event.message_type)) return false
  if (chats !== 'all' && event.is_group !== (chats === 'groups')) return false
  return ownMessages || !event.from_me
}
