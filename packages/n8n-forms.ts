/**
 * The operations that have a form in the action node, in the order of the form. Their fields, texts and bounds come
 * from the OpenAPI description. Every other operation of the client is chosen by its name under the resource `other`.
 */
export interface FormOperation {
  /** Id of the operation in the OpenAPI description. */
  id: string
  name: string
  /** The name of the operation in n8n's list of actions. */
  action: string
  /** The field for a file, which may be given as a URL or as binary data of the item. */
  file?: string
}

export interface FormResource {
  name: string
  value: string
  operations: readonly FormOperation[]
}

const operation = (id: string, name: string, action: string, file?: string): FormOperation => ({
  id,
  name,
  action,
  ...(file === undefined ? {} : { file }),
})

export const FORMS: readonly FormResource[] = [
  {
    name: 'Chat',
    value: 'chat',
    operations: [
      operation('chats.archive', 'Archive', 'Archive or unarchive a chat'),
      operation('chats.get', 'Get', 'Get a chat'),
      operation('chats.list', 'Get Many', 'Get many chats'),
      operation('chats.read', 'Mark as Read', 'Mark a chat as read or unread'),
    ],
  },
  {
    name: 'Contact',
    value: 'contact',
    operations: [
      operation('contacts.exists', 'Check Number', 'Check whether a number has an account'),
      operation('contacts.existsBatch', 'Check Numbers', 'Check which numbers have an account'),
      operation('contacts.get', 'Get', 'Get a contact'),
      operation('contacts.list', 'Get Many', 'Get many contacts'),
      operation('contacts.picture', 'Get Picture', 'Get the URL of the picture of a contact'),
    ],
  },
  {
    name: 'File',
    value: 'file',
    operations: [operation('media.download', 'Download', 'Download a received file')],
  },
  {
    name: 'Group',
    value: 'group',
    operations: [
      operation('groups.addParticipants', 'Add Participants', 'Add people to a group'),
      operation('groups.create', 'Create', 'Create a group'),
      operation('groups.metadata', 'Get', 'Get a group'),
      operation('groups.invitationLink', 'Get Invitation Link', 'Get the invitation link of a group'),
      operation('groups.list', 'Get Many', 'Get many groups'),
      operation('groups.removeParticipants', 'Remove Participants', 'Remove people from a group'),
      operation('groups.updateName', 'Rename', 'Rename a group'),
    ],
  },
  {
    name: 'Instance',
    value: 'instance',
    operations: [
      operation('instance.me', 'Get', 'Get the instance'),
      operation('instance.status', 'Get Status', 'Get the status of the instance'),
      operation('instance.restart', 'Restart', 'Restart the instance'),
    ],
  },
  {
    name: 'Message',
    value: 'message',
    operations: [
      operation('send.deleteMessage', 'Delete', 'Delete a message'),
      operation('send.forwardMessage', 'Forward', 'Forward a message'),
      operation('messages.readMessage', 'Mark as Read', 'Mark a message as read'),
      operation('send.sendReaction', 'React', 'React to a message'),
      operation('send.removeReaction', 'Remove Reaction', 'Remove the own reaction from a message'),
      operation('send.sendAudio', 'Send Audio', 'Send a voice note or an audio file', 'audio'),
      operation('send.sendButtonList', 'Send Buttons', 'Send a message with reply buttons'),
      operation('send.sendContact', 'Send Contact', 'Send a contact card'),
      operation('send.sendDocument', 'Send Document', 'Send a document', 'document'),
      operation('send.sendImage', 'Send Image', 'Send an image', 'image'),
      operation('send.sendLink', 'Send Link', 'Send a link with a card'),
      operation('send.sendOptionList', 'Send List', 'Send a list of options'),
      operation('send.sendLocation', 'Send Location', 'Send a location'),
      operation('send.sendPoll', 'Send Poll', 'Send a poll'),
      operation('send.sendSticker', 'Send Sticker', 'Send a sticker', 'sticker'),
      operation('send.sendText', 'Send Text', 'Send a text'),
      operation('send.sendVideo', 'Send Video', 'Send a video', 'video'),
      operation('messages.sendPresence', 'Show Presence', 'Show that the account is typing or online'),
    ],
  },
  {
    name: 'Queue',
    value: 'queue',
    operations: [
      operation('queue.clear', 'Clear', 'Remove every waiting message'),
      operation('queue.list', 'Get Many', 'Get many waiting messages'),
    ],
  },
]
