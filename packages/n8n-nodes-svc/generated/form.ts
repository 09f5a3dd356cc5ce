/** Written by `npm run client` from the OpenAPI description and `n8n-forms.ts`. */
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow'
import type { Form } from '../lib/form.ts'

/** How the fields of each form become the input of its operation. */
export const FORMS: Readonly<Record<string, Form>> = {
  'chats.archive': {"first":["phone","value"]},
  'chats.get': {"first":["phone"]},
  'chats.list': {"first":[],"pageSize":500},
  'chats.read': {"first":["phone","value"]},
  'contacts.exists': {"first":["phone"]},
  'contacts.existsBatch': {"first":["phones"],"lists":["phones"]},
  'contacts.get': {"first":["phone"]},
  'contacts.list': {"first":[],"pageSize":500},
  'contacts.picture': {"first":["phone"]},
  'media.download': {"first":["link"]},
  'groups.addParticipants': {"first":["group_id","phones"],"lists":["phones"]},
  'groups.create': {"first":["name","phones"],"lists":["phones"]},
  'groups.metadata': {"first":["group_id"]},
  'groups.invitationLink': {"first":["group_id"]},
  'groups.list': {"first":[],"pageSize":500},
  'groups.removeParticipants': {"first":["group_id","phones"],"lists":["phones"]},
  'groups.updateName': {"first":["group_id","value"]},
  'instance.me': {"first":[]},
  'instance.status': {"first":[]},
  'instance.restart': {"first":[]},
  'send.deleteMessage': {"first":["phone","message_id","owner"],"isSend":true},
  'send.forwardMessage': {"first":["phone","message_id","message_phone"],"lists":["mentions"],"isSend":true},
  'messages.readMessage': {"first":["phone","message_id"]},
  'send.sendReaction': {"first":["phone","reaction","message_id"],"isSend":true},
  'send.removeReaction': {"first":["phone","message_id"],"isSend":true},
  'send.sendAudio': {"first":["phone"],"file":"audio","isSend":true},
  'send.sendButtonList': {"first":["phone","message","button_list"],"lists":["mentions"],"json":["button_list"],"isSend":true},
  'send.sendContact': {"first":["phone","contact_name","contact_phone"],"isSend":true},
  'send.sendDocument': {"first":["phone"],"lists":["mentions"],"file":"document","isSend":true},
  'send.sendImage': {"first":["phone"],"lists":["mentions"],"file":"image","isSend":true},
  'send.sendLink': {"first":["phone","message","link_url","title"],"lists":["mentions"],"isSend":true},
  'send.sendOptionList': {"first":["phone","message","option_list"],"lists":["mentions"],"json":["option_list"],"isSend":true},
  'send.sendLocation': {"first":["phone","title","address","latitude","longitude"],"isSend":true},
  'send.sendPoll': {"first":["phone","question","options"],"lists":["options","mentions"],"isSend":true},
  'send.sendSticker': {"first":["phone"],"file":"sticker","isSend":true},
  'send.sendText': {"first":["phone","message"],"lists":["mentions"],"isSend":true},
  'send.sendVideo': {"first":["phone"],"lists":["mentions"],"file":"video","isSend":true},
  'messages.sendPresence': {"first":["presence"]},
  'queue.clear': {"first":[]},
  'queue.list': {"first":[],"pageSize":100},
}

export const properties: INodeProperties[] = [
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          "chat"
        ]
      }
    },
    options: [
      {
        name: "Archive",
        value: "chats.archive",
        action: "Archive or unarchive a chat",
        description: "Archive or unarchive a chat"
      },
      {
        name: "Get",
        value: "chats.get",
        action: "Get a chat",
        description: "Get a chat"
      },
      {
        name: "Get Many",
        value: "chats.list",
        action: "Get many chats",
        description: "Get many chats"
      },
      {
        name: "Mark as Read",
        value: "chats.read",
        action: "Mark a chat as read or unread",
        description: "Mark a chat as read or unread"
      }
    ],
    default: "chats.archive"
  },
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          "contact"
        ]
      }
    },
    options: [
      {
        name: "Check Number",
        value: "contacts.exists",
        action: "Check whether a number has an account",
        description: "Check whether a number has an account"
      },
      {
        name: "Check Numbers",
        value: "contacts.existsBatch",
        action: "Check which numbers have an account",
        description: "Check which numbers have an account"
      },
      {
        name: "Get",
        value: "contacts.get",
        action: "Get a contact",
        description: "Get a contact"
      },
      {
        name: "Get Many",
        value: "contacts.list",
        action: "Get many contacts",
        description: "Get many contacts"
      },
      {
        name: "Get Picture",
        value: "contacts.picture",
        action: "Get the URL of the picture of a contact",
        description: "Get the URL of the picture of a contact"
      }
    ],
    default: "contacts.exists"
  },
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          "file"
        ]
      }
    },
    options: [
      {
        name: "Download",
        value: "media.download",
        action: "Download a received file",
        description: "Download a received file"
      }
    ],
    default: "media.download"
  },
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          "group"
        ]
      }
    },
    options: [
      {
        name: "Add Participants",
        value: "groups.addParticipants",
        action: "Add people to a group",
        description: "Add people to a group"
      },
      {
        name: "Create",
        value: "groups.create",
        action: "Create a group",
        description: "Create a group"
      },
      {
        name: "Get",
        value: "groups.metadata",
        action: "Get a group",
        description: "Get a group"
      },
      {
        name: "Get Invitation Link",
        value: "groups.invitationLink",
        action: "Get the invitation link of a group",
        description: "Get the invitation link of a group"
      },
      {
        name: "Get Many",
        value: "groups.list",
        action: "Get many groups",
        description: "Get many groups"
      },
      {
        name: "Remove Participants",
        value: "groups.removeParticipants",
        action: "Remove people from a group",
        description: "Remove people from a group"
      },
      {
        name: "Rename",
        value: "groups.updateName",
        action: "Rename a group",
        description: "Rename a group"
      }
    ],
    default: "groups.addParticipants"
  },
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          "instance"
        ]
      }
    },
    options: [
      {
        name: "Get",
        value: "instance.me",
        action: "Get the instance",
        description: "Get the instance"
      },
      {
        name: "Get Status",
        value: "instance.status",
        action: "Get the status of the instance",
        description: "Get the status of the instance"
      },
      {
        name: "Restart",
        value: "instance.restart",
        action: "Restart the instance",
        description: "Restart the instance"
      }
    ],
    default: "instance.me"
  },
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ]
      }
    },
    options: [
      {
        name: "Delete",
        value: "send.deleteMessage",
        action: "Delete a message",
        description: "Delete a message"
      },
      {
        name: "Forward",
        value: "send.forwardMessage",
        action: "Forward a message",
        description: "Forward a message"
      },
      {
        name: "Mark as Read",
        value: "messages.readMessage",
        action: "Mark a message as read",
        description: "Mark a message as read"
      },
      {
        name: "React",
        value: "send.sendReaction",
        action: "React to a message",
        description: "React to a message"
      },
      {
        name: "Remove Reaction",
        value: "send.removeReaction",
        action: "Remove the own reaction from a message",
        description: "Remove the own reaction from a message"
      },
      {
        name: "Send Audio",
        value: "send.sendAudio",
        action: "Send a voice note or an audio file",
        description: "Send a voice note or an audio file"
      },
      {
        name: "Send Buttons",
        value: "send.sendButtonList",
        action: "Send a message with reply buttons",
        description: "Send a message with reply buttons"
      },
      {
        name: "Send Contact",
        value: "send.sendContact",
        action: "Send a contact card",
        description: "Send a contact card"
      },
      {
        name: "Send Document",
        value: "send.sendDocument",
        action: "Send a document",
        description: "Send a document"
      },
      {
        name: "Send Image",
        value: "send.sendImage",
        action: "Send an image",
        description: "Send an image"
      },
      {
        name: "Send Link",
        value: "send.sendLink",
        action: "Send a link with a card",
        description: "Send a link with a card"
      },
      {
        name: "Send List",
        value: "send.sendOptionList",
        action: "Send a list of options",
        description: "Send a list of options"
      },
      {
        name: "Send Location",
        value: "send.sendLocation",
        action: "Send a location",
        description: "Send a location"
      },
      {
        name: "Send Poll",
        value: "send.sendPoll",
        action: "Send a poll",
        description: "Send a poll"
      },
      {
        name: "Send Sticker",
        value: "send.sendSticker",
        action: "Send a sticker",
        description: "Send a sticker"
      },
      {
        name: "Send Text",
        value: "send.sendText",
        action: "Send a text",
        description: "Send a text"
      },
      {
        name: "Send Video",
        value: "send.sendVideo",
        action: "Send a video",
        description: "Send a video"
      },
      {
        name: "Show Presence",
        value: "messages.sendPresence",
        action: "Show that the account is typing or online",
        description: "Show that the account is typing or online"
      }
    ],
    default: "send.sendText"
  },
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          "queue"
        ]
      }
    },
    options: [
      {
        name: "Clear",
        value: "queue.clear",
        action: "Remove every waiting message",
        description: "Remove every waiting message"
      },
      {
        name: "Get Many",
        value: "queue.list",
        action: "Get many waiting messages",
        description: "Get many waiting messages"
      }
    ],
    default: "queue.clear"
  },
  {
    displayName: "Phone",
    name: "phone",
    type: "string",
    default: "",
    description: "Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>, <code>&lt;digits&gt;-group</code>",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "chat"
        ],
        operation: [
          "chats.archive"
        ]
      }
    }
  },
  {
    displayName: "Value",
    name: "value",
    type: "boolean",
    default: false,
    description: "Whether to archive the chat instead of unarchiving it",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "chat"
        ],
        operation: [
          "chats.archive"
        ]
      }
    }
  },
  {
    displayName: "Phone",
    name: "phone",
    type: "string",
    default: "",
    description: "Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>, <code>&lt;digits&gt;-group</code>",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "chat"
        ],
        operation: [
          "chats.get"
        ]
      }
    }
  },
  {
    displayName: "Return All",
    name: "returnAll",
    type: "boolean",
    default: false,
    description: "Whether to return all results or only up to a given limit",
    displayOptions: {
      show: {
        resource: [
          "chat"
        ],
        operation: [
          "chats.list"
        ]
      }
    }
  },
  {
    displayName: "Limit",
    name: "limit",
    type: "number",
    typeOptions: {
      minValue: 1
    },
    default: 50,
    description: "Max number of results to return",
    displayOptions: {
      show: {
        resource: [
          "chat"
        ],
        operation: [
          "chats.list"
        ],
        returnAll: [
          false
        ]
      }
    }
  },
  {
    displayName: "Phone",
    name: "phone",
    type: "string",
    default: "",
    description: "Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>, <code>&lt;digits&gt;-group</code>",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "chat"
        ],
        operation: [
          "chats.read"
        ]
      }
    }
  },
  {
    displayName: "Value",
    name: "value",
    type: "boolean",
    default: false,
    description: "Whether to mark the chat as read instead of unread",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "chat"
        ],
        operation: [
          "chats.read"
        ]
      }
    }
  },
  {
    displayName: "Phone",
    name: "phone",
    type: "string",
    default: "",
    description: "A number, 5 to 20 digits",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "contact"
        ],
        operation: [
          "contacts.exists"
        ]
      }
    }
  },
  {
    displayName: "Phones",
    name: "phones",
    type: "string",
    typeOptions: {
      rows: 3
    },
    default: "",
    description: "Numbers to look up. Write one per line, or separate them by commas.",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "contact"
        ],
        operation: [
          "contacts.existsBatch"
        ]
      }
    }
  },
  {
    displayName: "Phone",
    name: "phone",
    type: "string",
    default: "",
    description: "Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "contact"
        ],
        operation: [
          "contacts.get"
        ]
      }
    }
  },
  {
    displayName: "Return All",
    name: "returnAll",
    type: "boolean",
    default: false,
    description: "Whether to return all results or only up to a given limit",
    displayOptions: {
      show: {
        resource: [
          "contact"
        ],
        operation: [
          "contacts.list"
        ]
      }
    }
  },
  {
    displayName: "Limit",
    name: "limit",
    type: "number",
    typeOptions: {
      minValue: 1
    },
    default: 50,
    description: "Max number of results to return",
    displayOptions: {
      show: {
        resource: [
          "contact"
        ],
        operation: [
          "contacts.list"
        ],
        returnAll: [
          false
        ]
      }
    }
  },
  {
    displayName: "Phone",
    name: "phone",
    type: "string",
    default: "",
    description: "Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>, <code>&lt;digits&gt;-group</code>",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "contact"
        ],
        operation: [
          "contacts.picture"
        ]
      }
    }
  },
  {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: {
      show: {
        resource: [
          "contact"
        ],
        operation: [
          "contacts.picture"
        ]
      }
    },
    options: [
      {
        displayName: "Size",
        name: "size",
        type: "options",
        options: [
          {
            name: "Image",
            value: "image"
          },
          {
            name: "Preview",
            value: "preview"
          }
        ],
        default: "image",
        description: "Size of the picture; <code>preview</code> is the small one"
      }
    ]
  },
  {
    displayName: "Link",
    name: "link",
    type: "string",
    default: "",
    description: "Last part of the link from the event",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "file"
        ],
        operation: [
          "media.download"
        ]
      }
    }
  },
  {
    displayName: "Group ID",
    name: "group_id",
    type: "string",
    default: "",
    description: "ID of the group or community. Written as <code>&lt;digits&gt;-group</code>.",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "group"
        ],
        operation: [
          "groups.addParticipants"
        ]
      }
    }
  },
  {
    displayName: "Phones",
    name: "phones",
    type: "string",
    typeOptions: {
      rows: 3
    },
    default: "",
    description: "Numbers of people. Write one per line, or separate them by commas.",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "group"
        ],
        operation: [
          "groups.addParticipants"
        ]
      }
    }
  },
  {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: {
      show: {
        resource: [
          "group"
        ],
        operation: [
          "groups.addParticipants"
        ]
      }
    },
    options: [
      {
        displayName: "Auto Invite",
        name: "auto_invite",
        type: "boolean",
        default: true,
        description: "Whether people who cannot be added directly get an invitation through the queue"
      }
    ]
  },
  {
    displayName: "Name",
    name: "name",
    type: "string",
    default: "",
    description: "Name of the group",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "group"
        ],
        operation: [
          "groups.create"
        ]
      }
    }
  },
  {
    displayName: "Phones",
    name: "phones",
    type: "string",
    typeOptions: {
      rows: 3
    },
    default: "",
    description: "Numbers of the people to add, without the number of this account. Write one per line, or separate them by commas.",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "group"
        ],
        operation: [
          "groups.create"
        ]
      }
    }
  },
  {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: {
      show: {
        resource: [
          "group"
        ],
        operation: [
          "groups.create"
        ]
      }
    },
    options: [
      {
        displayName: "Auto Invite",
        name: "auto_invite",
        type: "boolean",
        default: true,
        description: "Whether people who cannot be added directly get an invitation through the queue"
      }
    ]
  },
  {
    displayName: "Group ID",
    name: "group_id",
    type: "string",
    default: "",
    description: "ID of the group or community. Written as <code>&lt;digits&gt;-group</code>.",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "group"
        ],
        operation: [
          "groups.metadata"
        ]
      }
    }
  },
  {
    displayName: "Group ID",
    name: "group_id",
    type: "string",
    default: "",
    description: "ID of the group or community. Written as <code>&lt;digits&gt;-group</code>.",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "group"
        ],
        operation: [
          "groups.invitationLink"
        ]
      }
    }
  },
  {
    displayName: "Return All",
    name: "returnAll",
    type: "boolean",
    default: false,
    description: "Whether to return all results or only up to a given limit",
    displayOptions: {
      show: {
        resource: [
          "group"
        ],
        operation: [
          "groups.list"
        ]
      }
    }
  },
  {
    displayName: "Limit",
    name: "limit",
    type: "number",
    typeOptions: {
      minValue: 1
    },
    default: 50,
    description: "Max number of results to return",
    displayOptions: {
      show: {
        resource: [
          "group"
        ],
        operation: [
          "groups.list"
        ],
        returnAll: [
          false
        ]
      }
    }
  },
  {
    displayName: "Group ID",
    name: "group_id",
    type: "string",
    default: "",
    description: "ID of the group or community. Written as <code>&lt;digits&gt;-group</code>.",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "group"
        ],
        operation: [
          "groups.removeParticipants"
        ]
      }
    }
  },
  {
    displayName: "Phones",
    name: "phones",
    type: "string",
    typeOptions: {
      rows: 3
    },
    default: "",
    description: "Numbers of people. Write one per line, or separate them by commas.",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "group"
        ],
        operation: [
          "groups.removeParticipants"
        ]
      }
    }
  },
  {
    displayName: "Group ID",
    name: "group_id",
    type: "string",
    default: "",
    description: "ID of the group or community. Written as <code>&lt;digits&gt;-group</code>.",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "group"
        ],
        operation: [
          "groups.updateName"
        ]
      }
    }
  },
  {
    displayName: "Value",
    name: "value",
    type: "string",
    default: "",
    description: "The new name",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "group"
        ],
        operation: [
          "groups.updateName"
        ]
      }
    }
  },
  {
    displayName: "Phone",
    name: "phone",
    type: "string",
    default: "",
    description: "Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>, <code>&lt;digits&gt;-group</code>, <code>&lt;digits&gt;@newsletter</code>, <code>status@broadcast</code>",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.deleteMessage"
        ]
      }
    }
  },
  {
    displayName: "Message ID",
    name: "message_id",
    type: "string",
    default: "",
    description: "The message to delete",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.deleteMessage"
        ]
      }
    }
  },
  {
    displayName: "Owner",
    name: "owner",
    type: "boolean",
    default: false,
    description: "Whether this account wrote the message",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.deleteMessage"
        ]
      }
    }
  },
  {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.deleteMessage"
        ]
      }
    },
    options: [
      {
        displayName: "Delay Message",
        name: "delay_message",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds to wait before sending; replaces the instance's random interval"
      },
      {
        displayName: "Participant",
        name: "participant",
        type: "string",
        default: "",
        description: "Author of the message. Only needed in groups, for a message of another person that the service does not store. Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>."
      },
      {
        displayName: "Send At",
        name: "send_at",
        type: "dateTime",
        default: "",
        description: "Time before which the message is not sent, at most 30 days ahead. It waits in the queue, where it holds up no other message, and is then sent like a message that is queued at that time. A time in the past has no effect."
      }
    ]
  },
  {
    displayName: "Phone",
    name: "phone",
    type: "string",
    default: "",
    description: "Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>, <code>&lt;digits&gt;-group</code>, <code>&lt;digits&gt;@newsletter</code>",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.forwardMessage"
        ]
      }
    }
  },
  {
    displayName: "Message ID",
    name: "message_id",
    type: "string",
    default: "",
    description: "The message to forward",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.forwardMessage"
        ]
      }
    }
  },
  {
    displayName: "Message Phone",
    name: "message_phone",
    type: "string",
    default: "",
    description: "Chat that contains the message. Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>, <code>&lt;digits&gt;-group</code>, <code>&lt;digits&gt;@newsletter</code>, <code>status@broadcast</code>.",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.forwardMessage"
        ]
      }
    }
  },
  {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.forwardMessage"
        ]
      }
    },
    options: [
      {
        displayName: "Delay Message",
        name: "delay_message",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds to wait before sending; replaces the instance's random interval"
      },
      {
        displayName: "Delay Typing",
        name: "delay_typing",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds of <code>typing...</code> (<code>recording...</code> for voice notes); ignored for channels and status"
      },
      {
        displayName: "Mention All",
        name: "mention_all",
        type: "boolean",
        default: false,
        description: "Whether to mention every participant; groups only, ignored elsewhere"
      },
      {
        displayName: "Mentions",
        name: "mentions",
        type: "string",
        typeOptions: {
          rows: 3
        },
        default: "",
        description: "People to mention; each must appear in the text as <code>@&lt;number&gt;</code>. Ignored for channels. Write one per line, or separate them by commas."
      },
      {
        displayName: "Reply to Message ID",
        name: "reply_to_message_id",
        type: "string",
        default: "",
        description: "ID of a message of the same chat to quote; ignored for channels"
      },
      {
        displayName: "Send At",
        name: "send_at",
        type: "dateTime",
        default: "",
        description: "Time before which the message is not sent, at most 30 days ahead. It waits in the queue, where it holds up no other message, and is then sent like a message that is queued at that time. A time in the past has no effect."
      }
    ]
  },
  {
    displayName: "Phone",
    name: "phone",
    type: "string",
    default: "",
    description: "Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>, <code>&lt;digits&gt;-group</code>, <code>status@broadcast</code>",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "messages.readMessage"
        ]
      }
    }
  },
  {
    displayName: "Message ID",
    name: "message_id",
    type: "string",
    default: "",
    description: "ID of the message that was read. Earlier messages of the chat also count as read.",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "messages.readMessage"
        ]
      }
    }
  },
  {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "messages.readMessage"
        ]
      }
    },
    options: [
      {
        displayName: "Participant",
        name: "participant",
        type: "string",
        default: "",
        description: "Author of the message, in groups and status. Only needed if the service no longer stores the message. Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>."
      }
    ]
  },
  {
    displayName: "Phone",
    name: "phone",
    type: "string",
    default: "",
    description: "Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>, <code>&lt;digits&gt;-group</code>, <code>&lt;digits&gt;@newsletter</code>",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendReaction"
        ]
      }
    }
  },
  {
    displayName: "Reaction",
    name: "reaction",
    type: "string",
    default: "",
    description: "One emoji",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendReaction"
        ]
      }
    }
  },
  {
    displayName: "Message ID",
    name: "message_id",
    type: "string",
    default: "",
    description: "ID of the message, which is in the chat <code>phone</code>",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendReaction"
        ]
      }
    }
  },
  {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendReaction"
        ]
      }
    },
    options: [
      {
        displayName: "Delay Message",
        name: "delay_message",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds to wait before sending; replaces the instance's random interval"
      },
      {
        displayName: "From Me",
        name: "from_me",
        type: "boolean",
        default: false,
        description: "Whether this account wrote the message. Only needed if the service no longer stores the message."
      },
      {
        displayName: "Participant",
        name: "participant",
        type: "string",
        default: "",
        description: "Author of the message. Only needed in groups, for a message of another person that the service does not store. Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>."
      },
      {
        displayName: "Send At",
        name: "send_at",
        type: "dateTime",
        default: "",
        description: "Time before which the message is not sent, at most 30 days ahead. It waits in the queue, where it holds up no other message, and is then sent like a message that is queued at that time. A time in the past has no effect."
      }
    ]
  },
  {
    displayName: "Phone",
    name: "phone",
    type: "string",
    default: "",
    description: "Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>, <code>&lt;digits&gt;-group</code>, <code>&lt;digits&gt;@newsletter</code>",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.removeReaction"
        ]
      }
    }
  },
  {
    displayName: "Message ID",
    name: "message_id",
    type: "string",
    default: "",
    description: "ID of the message, which is in the chat <code>phone</code>",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.removeReaction"
        ]
      }
    }
  },
  {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.removeReaction"
        ]
      }
    },
    options: [
      {
        displayName: "Delay Message",
        name: "delay_message",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds to wait before sending; replaces the instance's random interval"
      },
      {
        displayName: "From Me",
        name: "from_me",
        type: "boolean",
        default: false,
        description: "Whether this account wrote the message. Only needed if the service no longer stores the message."
      },
      {
        displayName: "Participant",
        name: "participant",
        type: "string",
        default: "",
        description: "Author of the message. Only needed in groups, for a message of another person that the service does not store. Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>."
      },
      {
        displayName: "Send At",
        name: "send_at",
        type: "dateTime",
        default: "",
        description: "Time before which the message is not sent, at most 30 days ahead. It waits in the queue, where it holds up no other message, and is then sent like a message that is queued at that time. A time in the past has no effect."
      }
    ]
  },
  {
    displayName: "Phone",
    name: "phone",
    type: "string",
    default: "",
    description: "Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>, <code>&lt;digits&gt;-group</code>, <code>&lt;digits&gt;@newsletter</code>, <code>status@broadcast</code>",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendAudio"
        ]
      }
    }
  },
  {
    displayName: "Source",
    name: "source",
    type: "options",
    options: [
      {
        name: "Binary Data",
        value: "binary"
      },
      {
        name: "URL",
        value: "url"
      }
    ],
    default: "url",
    description: "Where the file comes from",
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendAudio"
        ]
      }
    }
  },
  {
    displayName: "URL",
    name: "audio",
    type: "string",
    required: true,
    default: "",
    placeholder: "e.g. https://example.com/file",
    description: "URL from which the service downloads the file, or the file itself as a data URL",
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendAudio"
        ],
        source: [
          "url"
        ]
      }
    }
  },
  {
    displayName: "Input Binary Field",
    name: "binaryPropertyName",
    type: "string",
    required: true,
    default: "data",
    hint: "The name of the input field containing the file",
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendAudio"
        ],
        source: [
          "binary"
        ]
      }
    }
  },
  {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendAudio"
        ]
      }
    },
    options: [
      {
        displayName: "Delay Message",
        name: "delay_message",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds to wait before sending; replaces the instance's random interval"
      },
      {
        displayName: "Delay Typing",
        name: "delay_typing",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds of <code>typing...</code> (<code>recording...</code> for voice notes); ignored for channels and status"
      },
      {
        displayName: "Mention All",
        name: "mention_all",
        type: "boolean",
        default: false,
        description: "Whether to mention every participant; groups only, ignored elsewhere"
      },
      {
        displayName: "Reply to Message ID",
        name: "reply_to_message_id",
        type: "string",
        default: "",
        description: "ID of a message of the same chat to quote; ignored for channels"
      },
      {
        displayName: "Send At",
        name: "send_at",
        type: "dateTime",
        default: "",
        description: "Time before which the message is not sent, at most 30 days ahead. It waits in the queue, where it holds up no other message, and is then sent like a message that is queued at that time. A time in the past has no effect."
      },
      {
        displayName: "View Once",
        name: "view_once",
        type: "boolean",
        default: false,
        description: "Whether the media can be viewed only once; ignored for channels and status"
      },
      {
        displayName: "Voice Note",
        name: "ptt",
        type: "boolean",
        default: true,
        description: "Whether to send a voice note instead of an audio file"
      },
      {
        displayName: "Waveform",
        name: "waveform",
        type: "boolean",
        default: true,
        description: "Whether to add a waveform; voice notes only"
      }
    ]
  },
  {
    displayName: "Phone",
    name: "phone",
    type: "string",
    default: "",
    description: "Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>, <code>&lt;digits&gt;-group</code>",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendButtonList"
        ]
      }
    }
  },
  {
    displayName: "Message",
    name: "message",
    type: "string",
    typeOptions: {
      rows: 3
    },
    default: "",
    description: "Text of the message",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendButtonList"
        ]
      }
    }
  },
  {
    displayName: "Button List",
    name: "button_list",
    type: "json",
    default: "{}",
    description: "Buttons, and a picture or video above them",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendButtonList"
        ]
      }
    }
  },
  {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendButtonList"
        ]
      }
    },
    options: [
      {
        displayName: "Delay Message",
        name: "delay_message",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds to wait before sending; replaces the instance's random interval"
      },
      {
        displayName: "Delay Typing",
        name: "delay_typing",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds of <code>typing...</code> (<code>recording...</code> for voice notes); ignored for channels and status"
      },
      {
        displayName: "Footer",
        name: "footer",
        type: "string",
        default: "",
        description: "Small print below the text"
      },
      {
        displayName: "Mention All",
        name: "mention_all",
        type: "boolean",
        default: false,
        description: "Whether to mention every participant; groups only, ignored elsewhere"
      },
      {
        displayName: "Mentions",
        name: "mentions",
        type: "string",
        typeOptions: {
          rows: 3
        },
        default: "",
        description: "People to mention; each must appear in the text as <code>@&lt;number&gt;</code>. Ignored for channels. Write one per line, or separate them by commas."
      },
      {
        displayName: "Reply to Message ID",
        name: "reply_to_message_id",
        type: "string",
        default: "",
        description: "ID of a message of the same chat to quote; ignored for channels"
      },
      {
        displayName: "Send At",
        name: "send_at",
        type: "dateTime",
        default: "",
        description: "Time before which the message is not sent, at most 30 days ahead. It waits in the queue, where it holds up no other message, and is then sent like a message that is queued at that time. A time in the past has no effect."
      },
      {
        displayName: "Title",
        name: "title",
        type: "string",
        default: "",
        description: "Title; ignored if there is a picture or video"
      }
    ]
  },
  {
    displayName: "Phone",
    name: "phone",
    type: "string",
    default: "",
    description: "Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>, <code>&lt;digits&gt;-group</code>",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendContact"
        ]
      }
    }
  },
  {
    displayName: "Contact Name",
    name: "contact_name",
    type: "string",
    default: "",
    description: "Name on the card",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendContact"
        ]
      }
    }
  },
  {
    displayName: "Contact Phone",
    name: "contact_phone",
    type: "string",
    default: "",
    description: "Number on the card, digits with country code",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendContact"
        ]
      }
    }
  },
  {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendContact"
        ]
      }
    },
    options: [
      {
        displayName: "Contact Business Description",
        name: "contact_business_description",
        type: "string",
        default: "",
        description: "Description of the business, on the card"
      },
      {
        displayName: "Delay Message",
        name: "delay_message",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds to wait before sending; replaces the instance's random interval"
      },
      {
        displayName: "Delay Typing",
        name: "delay_typing",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds of <code>typing...</code> (<code>recording...</code> for voice notes); ignored for channels and status"
      },
      {
        displayName: "Mention All",
        name: "mention_all",
        type: "boolean",
        default: false,
        description: "Whether to mention every participant; groups only, ignored elsewhere"
      },
      {
        displayName: "Reply to Message ID",
        name: "reply_to_message_id",
        type: "string",
        default: "",
        description: "ID of a message of the same chat to quote; ignored for channels"
      },
      {
        displayName: "Send At",
        name: "send_at",
        type: "dateTime",
        default: "",
        description: "Time before which the message is not sent, at most 30 days ahead. It waits in the queue, where it holds up no other message, and is then sent like a message that is queued at that time. A time in the past has no effect."
      }
    ]
  },
  {
    displayName: "Phone",
    name: "phone",
    type: "string",
    default: "",
    description: "Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>, <code>&lt;digits&gt;-group</code>, <code>&lt;digits&gt;@newsletter</code>",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendDocument"
        ]
      }
    }
  },
  {
    displayName: "Source",
    name: "source",
    type: "options",
    options: [
      {
        name: "Binary Data",
        value: "binary"
      },
      {
        name: "URL",
        value: "url"
      }
    ],
    default: "url",
    description: "Where the file comes from",
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendDocument"
        ]
      }
    }
  },
  {
    displayName: "URL",
    name: "document",
    type: "string",
    required: true,
    default: "",
    placeholder: "e.g. https://example.com/file",
    description: "URL from which the service downloads the file, or the file itself as a data URL",
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendDocument"
        ],
        source: [
          "url"
        ]
      }
    }
  },
  {
    displayName: "Input Binary Field",
    name: "binaryPropertyName",
    type: "string",
    required: true,
    default: "data",
    hint: "The name of the input field containing the file",
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendDocument"
        ],
        source: [
          "binary"
        ]
      }
    }
  },
  {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendDocument"
        ]
      }
    },
    options: [
      {
        displayName: "Caption",
        name: "caption",
        type: "string",
        typeOptions: {
          rows: 3
        },
        default: "",
        description: "Text below it"
      },
      {
        displayName: "Delay Message",
        name: "delay_message",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds to wait before sending; replaces the instance's random interval"
      },
      {
        displayName: "Delay Typing",
        name: "delay_typing",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds of <code>typing...</code> (<code>recording...</code> for voice notes); ignored for channels and status"
      },
      {
        displayName: "Edit Message ID",
        name: "edit_message_id",
        type: "string",
        default: "",
        description: "ID of an own document whose caption is replaced by <code>caption</code>"
      },
      {
        displayName: "Extension",
        name: "extension",
        type: "string",
        default: "",
        description: "Extension without the dot; optional if <code>file_name</code> has one"
      },
      {
        displayName: "File Name",
        name: "file_name",
        type: "string",
        default: "",
        description: "Name that people see, without slashes or control characters; default <code>file.&lt;extension&gt;</code>. A missing extension is appended."
      },
      {
        displayName: "Mention All",
        name: "mention_all",
        type: "boolean",
        default: false,
        description: "Whether to mention every participant; groups only, ignored elsewhere"
      },
      {
        displayName: "Mentions",
        name: "mentions",
        type: "string",
        typeOptions: {
          rows: 3
        },
        default: "",
        description: "People to mention; each must appear in the text as <code>@&lt;number&gt;</code>. Ignored for channels. Write one per line, or separate them by commas."
      },
      {
        displayName: "Reply to Message ID",
        name: "reply_to_message_id",
        type: "string",
        default: "",
        description: "ID of a message of the same chat to quote; ignored for channels"
      },
      {
        displayName: "Send At",
        name: "send_at",
        type: "dateTime",
        default: "",
        description: "Time before which the message is not sent, at most 30 days ahead. It waits in the queue, where it holds up no other message, and is then sent like a message that is queued at that time. A time in the past has no effect."
      }
    ]
  },
  {
    displayName: "Phone",
    name: "phone",
    type: "string",
    default: "",
    description: "Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>, <code>&lt;digits&gt;-group</code>, <code>&lt;digits&gt;@newsletter</code>, <code>status@broadcast</code>",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendImage"
        ]
      }
    }
  },
  {
    displayName: "Source",
    name: "source",
    type: "options",
    options: [
      {
        name: "Binary Data",
        value: "binary"
      },
      {
        name: "URL",
        value: "url"
      }
    ],
    default: "url",
    description: "Where the file comes from",
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendImage"
        ]
      }
    }
  },
  {
    displayName: "URL",
    name: "image",
    type: "string",
    required: true,
    default: "",
    placeholder: "e.g. https://example.com/file",
    description: "URL from which the service downloads the file, or the file itself as a data URL",
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendImage"
        ],
        source: [
          "url"
        ]
      }
    }
  },
  {
    displayName: "Input Binary Field",
    name: "binaryPropertyName",
    type: "string",
    required: true,
    default: "data",
    hint: "The name of the input field containing the file",
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendImage"
        ],
        source: [
          "binary"
        ]
      }
    }
  },
  {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendImage"
        ]
      }
    },
    options: [
      {
        displayName: "Caption",
        name: "caption",
        type: "string",
        typeOptions: {
          rows: 3
        },
        default: "",
        description: "Text below it"
      },
      {
        displayName: "Delay Message",
        name: "delay_message",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds to wait before sending; replaces the instance's random interval"
      },
      {
        displayName: "Delay Typing",
        name: "delay_typing",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds of <code>typing...</code> (<code>recording...</code> for voice notes); ignored for channels and status"
      },
      {
        displayName: "Mention All",
        name: "mention_all",
        type: "boolean",
        default: false,
        description: "Whether to mention every participant; groups only, ignored elsewhere"
      },
      {
        displayName: "Mentions",
        name: "mentions",
        type: "string",
        typeOptions: {
          rows: 3
        },
        default: "",
        description: "People to mention; each must appear in the text as <code>@&lt;number&gt;</code>. Ignored for channels. Write one per line, or separate them by commas."
      },
      {
        displayName: "Reply to Message ID",
        name: "reply_to_message_id",
        type: "string",
        default: "",
        description: "ID of a message of the same chat to quote; ignored for channels"
      },
      {
        displayName: "Send At",
        name: "send_at",
        type: "dateTime",
        default: "",
        description: "Time before which the message is not sent, at most 30 days ahead. It waits in the queue, where it holds up no other message, and is then sent like a message that is queued at that time. A time in the past has no effect."
      },
      {
        displayName: "View Once",
        name: "view_once",
        type: "boolean",
        default: false,
        description: "Whether the media can be viewed only once; ignored for channels and status"
      }
    ]
  },
  {
    displayName: "Phone",
    name: "phone",
    type: "string",
    default: "",
    description: "Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>, <code>&lt;digits&gt;-group</code>, <code>&lt;digits&gt;@newsletter</code>",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendLink"
        ]
      }
    }
  },
  {
    displayName: "Message",
    name: "message",
    type: "string",
    typeOptions: {
      rows: 3
    },
    default: "",
    description: "Text above the card",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendLink"
        ]
      }
    }
  },
  {
    displayName: "Link URL",
    name: "link_url",
    type: "string",
    default: "",
    description: "URL that the card opens",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendLink"
        ]
      }
    }
  },
  {
    displayName: "Title",
    name: "title",
    type: "string",
    default: "",
    description: "First line of the card",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendLink"
        ]
      }
    }
  },
  {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendLink"
        ]
      }
    },
    options: [
      {
        displayName: "Delay Message",
        name: "delay_message",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds to wait before sending; replaces the instance's random interval"
      },
      {
        displayName: "Delay Typing",
        name: "delay_typing",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds of <code>typing...</code> (<code>recording...</code> for voice notes); ignored for channels and status"
      },
      {
        displayName: "Image",
        name: "image",
        type: "string",
        default: "",
        description: "Picture of the card: URL, <code>data:&lt;mime&gt;;base64,&lt;data&gt;</code> or base64, also in lines, without padding or URL-safe; at most 16 MB"
      },
      {
        displayName: "Link Description",
        name: "link_description",
        type: "string",
        default: "",
        description: "Second line of the card"
      },
      {
        displayName: "Link Type",
        name: "link_type",
        type: "options",
        options: [
          {
            name: "Large",
            value: "large"
          },
          {
            name: "Medium",
            value: "medium"
          },
          {
            name: "Small",
            value: "small"
          }
        ],
        default: "small",
        description: "Size of the card, best effort"
      },
      {
        displayName: "Mention All",
        name: "mention_all",
        type: "boolean",
        default: false,
        description: "Whether to mention every participant; groups only, ignored elsewhere"
      },
      {
        displayName: "Mentions",
        name: "mentions",
        type: "string",
        typeOptions: {
          rows: 3
        },
        default: "",
        description: "People to mention; each must appear in the text as <code>@&lt;number&gt;</code>. Ignored for channels. Write one per line, or separate them by commas."
      },
      {
        displayName: "Reply to Message ID",
        name: "reply_to_message_id",
        type: "string",
        default: "",
        description: "ID of a message of the same chat to quote; ignored for channels"
      },
      {
        displayName: "Send At",
        name: "send_at",
        type: "dateTime",
        default: "",
        description: "Time before which the message is not sent, at most 30 days ahead. It waits in the queue, where it holds up no other message, and is then sent like a message that is queued at that time. A time in the past has no effect."
      }
    ]
  },
  {
    displayName: "Phone",
    name: "phone",
    type: "string",
    default: "",
    description: "Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>, <code>&lt;digits&gt;-group</code>",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendOptionList"
        ]
      }
    }
  },
  {
    displayName: "Message",
    name: "message",
    type: "string",
    typeOptions: {
      rows: 3
    },
    default: "",
    description: "Text of the message",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendOptionList"
        ]
      }
    }
  },
  {
    displayName: "Option List",
    name: "option_list",
    type: "json",
    default: "{}",
    description: "The list behind the button",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendOptionList"
        ]
      }
    }
  },
  {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendOptionList"
        ]
      }
    },
    options: [
      {
        displayName: "Delay Message",
        name: "delay_message",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds to wait before sending; replaces the instance's random interval"
      },
      {
        displayName: "Delay Typing",
        name: "delay_typing",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds of <code>typing...</code> (<code>recording...</code> for voice notes); ignored for channels and status"
      },
      {
        displayName: "Footer",
        name: "footer",
        type: "string",
        default: "",
        description: "Small print below the text"
      },
      {
        displayName: "Mention All",
        name: "mention_all",
        type: "boolean",
        default: false,
        description: "Whether to mention every participant; groups only, ignored elsewhere"
      },
      {
        displayName: "Mentions",
        name: "mentions",
        type: "string",
        typeOptions: {
          rows: 3
        },
        default: "",
        description: "People to mention; each must appear in the text as <code>@&lt;number&gt;</code>. Ignored for channels. Write one per line, or separate them by commas."
      },
      {
        displayName: "Reply to Message ID",
        name: "reply_to_message_id",
        type: "string",
        default: "",
        description: "ID of a message of the same chat to quote; ignored for channels"
      },
      {
        displayName: "Send At",
        name: "send_at",
        type: "dateTime",
        default: "",
        description: "Time before which the message is not sent, at most 30 days ahead. It waits in the queue, where it holds up no other message, and is then sent like a message that is queued at that time. A time in the past has no effect."
      }
    ]
  },
  {
    displayName: "Phone",
    name: "phone",
    type: "string",
    default: "",
    description: "Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>, <code>&lt;digits&gt;-group</code>",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendLocation"
        ]
      }
    }
  },
  {
    displayName: "Title",
    name: "title",
    type: "string",
    default: "",
    description: "Name of the place",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendLocation"
        ]
      }
    }
  },
  {
    displayName: "Address",
    name: "address",
    type: "string",
    default: "",
    description: "Address below the name",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendLocation"
        ]
      }
    }
  },
  {
    displayName: "Latitude",
    name: "latitude",
    type: "number",
    typeOptions: {
      minValue: -90,
      maxValue: 90,
      numberPrecision: 7
    },
    default: 0,
    description: "Degrees; a numeric string is accepted",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendLocation"
        ]
      }
    }
  },
  {
    displayName: "Longitude",
    name: "longitude",
    type: "number",
    typeOptions: {
      minValue: -180,
      maxValue: 180,
      numberPrecision: 7
    },
    default: 0,
    description: "Degrees; a numeric string is accepted",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendLocation"
        ]
      }
    }
  },
  {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendLocation"
        ]
      }
    },
    options: [
      {
        displayName: "Delay Message",
        name: "delay_message",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds to wait before sending; replaces the instance's random interval"
      },
      {
        displayName: "Delay Typing",
        name: "delay_typing",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds of <code>typing...</code> (<code>recording...</code> for voice notes); ignored for channels and status"
      },
      {
        displayName: "Mention All",
        name: "mention_all",
        type: "boolean",
        default: false,
        description: "Whether to mention every participant; groups only, ignored elsewhere"
      },
      {
        displayName: "Reply to Message ID",
        name: "reply_to_message_id",
        type: "string",
        default: "",
        description: "ID of a message of the same chat to quote; ignored for channels"
      },
      {
        displayName: "Send At",
        name: "send_at",
        type: "dateTime",
        default: "",
        description: "Time before which the message is not sent, at most 30 days ahead. It waits in the queue, where it holds up no other message, and is then sent like a message that is queued at that time. A time in the past has no effect."
      }
    ]
  },
  {
    displayName: "Phone",
    name: "phone",
    type: "string",
    default: "",
    description: "Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>, <code>&lt;digits&gt;-group</code>, <code>&lt;digits&gt;@newsletter</code>",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendPoll"
        ]
      }
    }
  },
  {
    displayName: "Question",
    name: "question",
    type: "string",
    default: "",
    description: "Question of the poll",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendPoll"
        ]
      }
    }
  },
  {
    displayName: "Options",
    name: "options",
    type: "string",
    typeOptions: {
      rows: 3
    },
    default: "",
    description: "Options of the poll, which must all differ. Write one per line, or separate them by commas.",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendPoll"
        ]
      }
    }
  },
  {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendPoll"
        ]
      }
    },
    options: [
      {
        displayName: "Delay Message",
        name: "delay_message",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds to wait before sending; replaces the instance's random interval"
      },
      {
        displayName: "Delay Typing",
        name: "delay_typing",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds of <code>typing...</code> (<code>recording...</code> for voice notes); ignored for channels and status"
      },
      {
        displayName: "Mention All",
        name: "mention_all",
        type: "boolean",
        default: false,
        description: "Whether to mention every participant; groups only, ignored elsewhere"
      },
      {
        displayName: "Mentions",
        name: "mentions",
        type: "string",
        typeOptions: {
          rows: 3
        },
        default: "",
        description: "People to mention; each must appear in the text as <code>@&lt;number&gt;</code>. Ignored for channels. Write one per line, or separate them by commas."
      },
      {
        displayName: "Poll Max Options",
        name: "poll_max_options",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 12
        },
        default: 1,
        description: "Number of options that one person may choose; 0, or more than the poll has, means no limit"
      },
      {
        displayName: "Reply to Message ID",
        name: "reply_to_message_id",
        type: "string",
        default: "",
        description: "ID of a message of the same chat to quote; ignored for channels"
      },
      {
        displayName: "Send At",
        name: "send_at",
        type: "dateTime",
        default: "",
        description: "Time before which the message is not sent, at most 30 days ahead. It waits in the queue, where it holds up no other message, and is then sent like a message that is queued at that time. A time in the past has no effect."
      }
    ]
  },
  {
    displayName: "Phone",
    name: "phone",
    type: "string",
    default: "",
    description: "Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>, <code>&lt;digits&gt;-group</code>, <code>&lt;digits&gt;@newsletter</code>",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendSticker"
        ]
      }
    }
  },
  {
    displayName: "Source",
    name: "source",
    type: "options",
    options: [
      {
        name: "Binary Data",
        value: "binary"
      },
      {
        name: "URL",
        value: "url"
      }
    ],
    default: "url",
    description: "Where the file comes from",
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendSticker"
        ]
      }
    }
  },
  {
    displayName: "URL",
    name: "sticker",
    type: "string",
    required: true,
    default: "",
    placeholder: "e.g. https://example.com/file",
    description: "URL from which the service downloads the file, or the file itself as a data URL",
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendSticker"
        ],
        source: [
          "url"
        ]
      }
    }
  },
  {
    displayName: "Input Binary Field",
    name: "binaryPropertyName",
    type: "string",
    required: true,
    default: "data",
    hint: "The name of the input field containing the file",
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendSticker"
        ],
        source: [
          "binary"
        ]
      }
    }
  },
  {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendSticker"
        ]
      }
    },
    options: [
      {
        displayName: "Delay Message",
        name: "delay_message",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds to wait before sending; replaces the instance's random interval"
      },
      {
        displayName: "Delay Typing",
        name: "delay_typing",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds of <code>typing...</code> (<code>recording...</code> for voice notes); ignored for channels and status"
      },
      {
        displayName: "Mention All",
        name: "mention_all",
        type: "boolean",
        default: false,
        description: "Whether to mention every participant; groups only, ignored elsewhere"
      },
      {
        displayName: "Reply to Message ID",
        name: "reply_to_message_id",
        type: "string",
        default: "",
        description: "ID of a message of the same chat to quote; ignored for channels"
      },
      {
        displayName: "Send At",
        name: "send_at",
        type: "dateTime",
        default: "",
        description: "Time before which the message is not sent, at most 30 days ahead. It waits in the queue, where it holds up no other message, and is then sent like a message that is queued at that time. A time in the past has no effect."
      },
      {
        displayName: "Sticker Author",
        name: "sticker_author",
        type: "string",
        default: "",
        description: "Name that apps show as the publisher"
      }
    ]
  },
  {
    displayName: "Phone",
    name: "phone",
    type: "string",
    default: "",
    description: "Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>, <code>&lt;digits&gt;-group</code>, <code>&lt;digits&gt;@newsletter</code>, <code>status@broadcast</code>",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendText"
        ]
      }
    }
  },
  {
    displayName: "Message",
    name: "message",
    type: "string",
    typeOptions: {
      rows: 3
    },
    default: "",
    description: "Text of the message. It may have the markup of WhatsApp (<code>*bold*</code>, <code>_italic_</code>, <code>~strike~</code>).",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendText"
        ]
      }
    }
  },
  {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendText"
        ]
      }
    },
    options: [
      {
        displayName: "Delay Message",
        name: "delay_message",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds to wait before sending; replaces the instance's random interval"
      },
      {
        displayName: "Delay Typing",
        name: "delay_typing",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds of <code>typing...</code> (<code>recording...</code> for voice notes); ignored for channels and status"
      },
      {
        displayName: "Edit Message ID",
        name: "edit_message_id",
        type: "string",
        default: "",
        description: "ID of an own message to edit; <code>reply_to_message_id</code> is then ignored"
      },
      {
        displayName: "Link Preview",
        name: "link_preview",
        type: "boolean",
        default: true,
        description: "Whether to add a card for the first URL of the text. If the page does not provide one within 5 s, the message is sent without a card."
      },
      {
        displayName: "Mention All",
        name: "mention_all",
        type: "boolean",
        default: false,
        description: "Whether to mention every participant; groups only, ignored elsewhere"
      },
      {
        displayName: "Mentions",
        name: "mentions",
        type: "string",
        typeOptions: {
          rows: 3
        },
        default: "",
        description: "People to mention; each must appear in the text as <code>@&lt;number&gt;</code>. Ignored for channels. Write one per line, or separate them by commas."
      },
      {
        displayName: "Private Answer",
        name: "private_answer",
        type: "boolean",
        default: false,
        description: "Whether to answer the quoted author in private. Only in a group, with <code>reply_to_message_id</code>."
      },
      {
        displayName: "Reply to Message ID",
        name: "reply_to_message_id",
        type: "string",
        default: "",
        description: "ID of a message of the same chat to quote; ignored for channels"
      },
      {
        displayName: "Send At",
        name: "send_at",
        type: "dateTime",
        default: "",
        description: "Time before which the message is not sent, at most 30 days ahead. It waits in the queue, where it holds up no other message, and is then sent like a message that is queued at that time. A time in the past has no effect."
      }
    ]
  },
  {
    displayName: "Phone",
    name: "phone",
    type: "string",
    default: "",
    description: "Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>, <code>&lt;digits&gt;-group</code>, <code>&lt;digits&gt;@newsletter</code>, <code>status@broadcast</code>",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendVideo"
        ]
      }
    }
  },
  {
    displayName: "Source",
    name: "source",
    type: "options",
    options: [
      {
        name: "Binary Data",
        value: "binary"
      },
      {
        name: "URL",
        value: "url"
      }
    ],
    default: "url",
    description: "Where the file comes from",
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendVideo"
        ]
      }
    }
  },
  {
    displayName: "URL",
    name: "video",
    type: "string",
    required: true,
    default: "",
    placeholder: "e.g. https://example.com/file",
    description: "URL from which the service downloads the file, or the file itself as a data URL",
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendVideo"
        ],
        source: [
          "url"
        ]
      }
    }
  },
  {
    displayName: "Input Binary Field",
    name: "binaryPropertyName",
    type: "string",
    required: true,
    default: "data",
    hint: "The name of the input field containing the file",
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendVideo"
        ],
        source: [
          "binary"
        ]
      }
    }
  },
  {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "send.sendVideo"
        ]
      }
    },
    options: [
      {
        displayName: "Caption",
        name: "caption",
        type: "string",
        typeOptions: {
          rows: 3
        },
        default: "",
        description: "Text below it"
      },
      {
        displayName: "Delay Message",
        name: "delay_message",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds to wait before sending; replaces the instance's random interval"
      },
      {
        displayName: "Delay Typing",
        name: "delay_typing",
        type: "number",
        typeOptions: {
          minValue: 0,
          maxValue: 15
        },
        default: 0,
        description: "Seconds of <code>typing...</code> (<code>recording...</code> for voice notes); ignored for channels and status"
      },
      {
        displayName: "Mention All",
        name: "mention_all",
        type: "boolean",
        default: false,
        description: "Whether to mention every participant; groups only, ignored elsewhere"
      },
      {
        displayName: "Mentions",
        name: "mentions",
        type: "string",
        typeOptions: {
          rows: 3
        },
        default: "",
        description: "People to mention; each must appear in the text as <code>@&lt;number&gt;</code>. Ignored for channels. Write one per line, or separate them by commas."
      },
      {
        displayName: "Reply to Message ID",
        name: "reply_to_message_id",
        type: "string",
        default: "",
        description: "ID of a message of the same chat to quote; ignored for channels"
      },
      {
        displayName: "Send At",
        name: "send_at",
        type: "dateTime",
        default: "",
        description: "Time before which the message is not sent, at most 30 days ahead. It waits in the queue, where it holds up no other message, and is then sent like a message that is queued at that time. A time in the past has no effect."
      },
      {
        displayName: "View Once",
        name: "view_once",
        type: "boolean",
        default: false,
        description: "Whether the media can be viewed only once; ignored for channels and status"
      }
    ]
  },
  {
    displayName: "Presence",
    name: "presence",
    type: "options",
    options: [
      {
        name: "Available",
        value: "available"
      },
      {
        name: "Composing",
        value: "composing"
      },
      {
        name: "Paused",
        value: "paused"
      },
      {
        name: "Recording",
        value: "recording"
      },
      {
        name: "Unavailable",
        value: "unavailable"
      }
    ],
    default: "composing",
    description: "<code>composing</code>, <code>recording</code> and <code>paused</code> appear in the chat; <code>available</code> and <code>unavailable</code> apply to the whole account",
    required: true,
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "messages.sendPresence"
        ]
      }
    }
  },
  {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: {
      show: {
        resource: [
          "message"
        ],
        operation: [
          "messages.sendPresence"
        ]
      }
    },
    options: [
      {
        displayName: "Phone",
        name: "phone",
        type: "string",
        default: "",
        description: "Chat; ignored for <code>available</code> and <code>unavailable</code>. Written as a number of 5 to 20 digits or <code>&lt;digits&gt;@lid</code>, <code>&lt;digits&gt;-group</code>."
      }
    ]
  },
  {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: {
      show: {
        resource: [
          "queue"
        ],
        operation: [
          "queue.clear"
        ]
      }
    },
    options: [
      {
        displayName: "Phone",
        name: "phone",
        type: "string",
        default: "",
        description: "Only items to this chat"
      }
    ]
  },
  {
    displayName: "Return All",
    name: "returnAll",
    type: "boolean",
    default: false,
    description: "Whether to return all results or only up to a given limit",
    displayOptions: {
      show: {
        resource: [
          "queue"
        ],
        operation: [
          "queue.list"
        ]
      }
    }
  },
  {
    displayName: "Limit",
    name: "limit",
    type: "number",
    typeOptions: {
      minValue: 1
    },
    default: 50,
    description: "Max number of results to return",
    displayOptions: {
      show: {
        resource: [
          "queue"
        ],
        operation: [
          "queue.list"
        ],
        returnAll: [
          false
        ]
      }
    }
  },
  {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: {
      show: {
        resource: [
          "queue"
        ],
        operation: [
          "queue.list"
        ]
      }
    },
    options: [
      {
        displayName: "Phone",
        name: "phone",
        type: "string",
        default: "",
        description: "Only items to this chat"
      }
    ]
  },
  {
    displayName: "Operation",
    name: "otherOperation",
    type: "options",
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: [
          "other"
        ]
      }
    },
    options: [
      {
        name: "Account: Create Connect Link",
        value: "account.createConnectLink",
        description: "Create a link with which a customer pairs an instance. Fields: <code>instance_id, expires_in?, allowed_origins?, locale?, operator_name?, operator_color?</code>."
      },
      {
        name: "Account: Create Instance",
        value: "account.createInstance",
        description: "Create an instance. Fields: <code>name, webhooks?, settings?</code>."
      },
      {
        name: "Account: Delete Instance",
        value: "account.deleteInstance",
        description: "Delete an instance. Fields: <code>instance_id</code>."
      },
      {
        name: "Account: Get Instance",
        value: "account.getInstance",
        description: "Read an instance. Fields: <code>instance_id</code>."
      },
      {
        name: "Account: Get Webhooks",
        value: "account.getWebhooks",
        description: "Read the webhooks with which new instances start"
      },
      {
        name: "Account: List Connect Links",
        value: "account.listConnectLinks",
        description: "List the connect links of the workspace, newest first. Fields: <code>instance_id?, page?, page_size?</code>."
      },
      {
        name: "Account: List Instances",
        value: "account.listInstances",
        description: "List the instances of the workspace, newest first. Fields: <code>status?, q?, page?, page_size?</code>."
      },
      {
        name: "Account: Plan",
        value: "account.plan",
        description: "Read the plan, its slots and the instances that use them"
      },
      {
        name: "Account: Renew Connect Link",
        value: "account.renewConnectLink",
        description: "Open a connect link for longer, or again. Fields: <code>link_id, expires_in?</code>."
      },
      {
        name: "Account: Revoke Connect Link",
        value: "account.revokeConnectLink",
        description: "Revoke a connect link. Fields: <code>link_id</code>."
      },
      {
        name: "Account: Rotate Token",
        value: "account.rotateToken",
        description: "Create a new instance token. Fields: <code>instance_id</code>."
      },
      {
        name: "Account: Rotate Webhook Secret",
        value: "account.rotateWebhookSecret",
        description: "Create a new signature secret for every instance. Fields: <code>grace_seconds?</code>."
      },
      {
        name: "Account: Update Instance",
        value: "account.updateInstance",
        description: "Change name, webhooks or settings. Fields: <code>instance_id, name?, webhooks?, settings?</code>."
      },
      {
        name: "Account: Update Webhooks",
        value: "account.updateWebhooks",
        description: "Change webhook URLs and filters of every instance. Fields: <code>received_url?, delivery_url?, message_status_url?, instance_status_url?, chat_presence_url?, notify_sent_by_me?, ignore_groups?, ignore_private?, ignore_text?, ignore_image?, ignore_video?, ignore_audio?, ignore_document?, ignore_received_callback?, ignore_delivery_callback?, ignore_message_status_callback?, ignore_instance_status_callback?, ignore_chat_presence_callback?, single_url?, connected_url?, disconnected_url?, ignore_connected_callback?, ignore_disconnected_callback?</code>."
      },
      {
        name: "Account: Usage",
        value: "account.usage",
        description: "List the use of resources of each instance, the largest first. Fields: <code>window?, sort?, page?, page_size?</code>."
      },
      {
        name: "Admin: Create Api Key",
        value: "admin.createApiKey",
        description: "Create an API key. Fields: <code>name, scopes</code>."
      },
      {
        name: "Admin: Drain Node",
        value: "admin.drainNode",
        description: "Hand over to a standby, or have a member leave its cluster. Fields: <code>node_id</code>."
      },
      {
        name: "Admin: Export Instance",
        value: "admin.exportInstance",
        description: "Export an instance as an archive. Fields: <code>instance_id, kind, passphrase</code>."
      },
      {
        name: "Admin: Import Client Token",
        value: "admin.importClientToken",
        description: "Import an existing client token. Fields: <code>value</code>."
      },
      {
        name: "Admin: Import Instance",
        value: "admin.importInstance",
        description: "Import an instance, without pairing it again. Fields: <code>from?, name?, device?, stopped?, used_since?, same_token?, dry_run?, X-Svc-Passphrase?</code>."
      },
      {
        name: "Admin: IP Allowlist",
        value: "admin.ipAllowlist",
        description: "Restrict callers by IP address. Fields: <code>enabled, entries?</code>."
      },
      {
        name: "Admin: List Api Keys",
        value: "admin.listApiKeys",
        description: "List the API keys of the workspace, newest first. Fields: <code>page?, page_size?</code>."
      },
      {
        name: "Admin: List Nodes",
        value: "admin.listNodes",
        description: "List the services on the store, the active one first. Fields: <code>page?, page_size?</code>."
      },
      {
        name: "Admin: List OAuth Apps",
        value: "admin.listOauthApps",
        description: "List the apps with access to <code>/mcp</code>, newest first. Fields: <code>page?, page_size?</code>."
      },
      {
        name: "Admin: Replay Webhooks",
        value: "admin.replayWebhooks",
        description: "Send the events of a range again. Fields: <code>instance_id?, type?, status?, from, to</code>."
      },
      {
        name: "Admin: Require Api Key",
        value: "admin.requireApiKey",
        description: "Require an API key on instance routes, or stop requiring it. Fields: <code>value</code>."
      },
      {
        name: "Admin: Require Client Token",
        value: "admin.requireClientToken",
        description: "Require Client-Token on instance routes, or stop requiring it. Fields: <code>value</code>."
      },
      {
        name: "Admin: Resend Webhook",
        value: "admin.resendWebhook",
        description: "Send one event again, now. Fields: <code>event_id</code>."
      },
      {
        name: "Admin: Resend Webhooks",
        value: "admin.resendWebhooks",
        description: "Send many events again. Fields: <code>event_ids</code>."
      },
      {
        name: "Admin: Resume Instance",
        value: "admin.resumeInstance",
        description: "Start an instance again whose move was cancelled. Fields: <code>instance_id</code>."
      },
      {
        name: "Admin: Revoke Api Key",
        value: "admin.revokeApiKey",
        description: "Revoke an API key. Fields: <code>key_id</code>."
      },
      {
        name: "Admin: Revoke OAuth App",
        value: "admin.revokeOauthApp",
        description: "Revoke an app. Fields: <code>app_id</code>."
      },
      {
        name: "Admin: Rotate Admin Key",
        value: "admin.rotateAdminKey",
        description: "Create a new admin key. Fields: <code>revoke_oauth?</code>."
      },
      {
        name: "Admin: Security",
        value: "admin.security",
        description: "Read the security switches"
      },
      {
        name: "Admin: Update Api Key",
        value: "admin.updateApiKey",
        description: "Change the name or the scopes of an API key. Fields: <code>key_id, name?, scopes?</code>."
      },
      {
        name: "Admin: Update Subscription",
        value: "admin.updateSubscription",
        description: "Change the plan: status, dates, slots. Fields: <code>status?, trial_ends_at?, due_at?, instance_slots?</code>."
      },
      {
        name: "Admin: Update Workspace",
        value: "admin.updateWorkspace",
        description: "Change the name of the workspace, and the dialect of new instances. Fields: <code>name?, dialect?</code>."
      },
      {
        name: "Admin: Webhook Log",
        value: "admin.webhookLog",
        description: "List the webhook log: events and their outcomes, newest first. Fields: <code>instance_id?, type?, status?, from?, to?, q?, page?, page_size?</code>."
      },
      {
        name: "Admin: Workspace",
        value: "admin.workspace",
        description: "Read the workspace of this admin key"
      },
      {
        name: "Business: Categories",
        value: "business.categories",
        description: "List the categories that a business can choose. Fields: <code>q?</code>."
      },
      {
        name: "Business: Collection Products",
        value: "business.collectionProducts",
        description: "List the products of a collection. Fields: <code>collection_id, phone?, limit?, next_cursor?</code>."
      },
      {
        name: "Business: Collections",
        value: "business.collections",
        description: "List the collections of a catalog. Fields: <code>phone?, limit?, next_cursor?</code>."
      },
      {
        name: "Business: Create Collection",
        value: "business.createCollection",
        description: "Create a collection of products. Fields: <code>name, product_ids</code>."
      },
      {
        name: "Business: Create Product",
        value: "business.createProduct",
        description: "Add a product to the catalog. Fields: <code>description?, price?, currency?, retailer_id?, &#117;rl?, origin_country?, name, images, is_hidden?</code>."
      },
      {
        name: "Business: Delete Collection",
        value: "business.deleteCollection",
        description: "Delete a collection. Fields: <code>collection_id</code>."
      },
      {
        name: "Business: Delete Product",
        value: "business.deleteProduct",
        description: "Remove a product from the catalog. Fields: <code>product_id</code>."
      },
      {
        name: "Business: Order",
        value: "business.order",
        description: "Read an order. Fields: <code>order_id, order_token</code>."
      },
      {
        name: "Business: Product",
        value: "business.product",
        description: "Read a product. Fields: <code>product_id, phone?</code>."
      },
      {
        name: "Business: Products",
        value: "business.products",
        description: "Read a catalog. Fields: <code>phone?, limit?, next_cursor?</code>."
      },
      {
        name: "Business: Profile",
        value: "business.profile",
        description: "Read the profile of a business. Fields: <code>phone?</code>."
      },
      {
        name: "Business: Update Catalog Config",
        value: "business.updateCatalogConfig",
        description: "Enable or disable the cart of the catalog. Fields: <code>cart_enabled</code>."
      },
      {
        name: "Business: Update Collection",
        value: "business.updateCollection",
        description: "Change a collection. Fields: <code>collection_id, name?, add_product_ids?, remove_product_ids?</code>."
      },
      {
        name: "Business: Update Hours",
        value: "business.updateHours",
        description: "Change the opening hours of the business. Fields: <code>timezone, days</code>."
      },
      {
        name: "Business: Update Product",
        value: "business.updateProduct",
        description: "Change a product of the catalog. Fields: <code>product_id, description?, price?, currency?, retailer_id?, &#117;rl?, origin_country?, name?, images?, is_hidden?</code>."
      },
      {
        name: "Business: Update Profile",
        value: "business.updateProfile",
        description: "Change the profile of the business. Fields: <code>description?, address?, email?, websites?, categories?</code>."
      },
      {
        name: "Chats: Clear",
        value: "chats.clear",
        description: "Remove the messages of a chat from the devices of the account. Fields: <code>phone, keep_starred?</code>."
      },
      {
        name: "Chats: Delete",
        value: "chats.delete",
        description: "Remove a chat from the list. Fields: <code>phone</code>."
      },
      {
        name: "Chats: Expiration",
        value: "chats.expiration",
        description: "Set the message timer of a chat. Fields: <code>phone, value</code>."
      },
      {
        name: "Chats: Mute",
        value: "chats.mute",
        description: "Mute or unmute a chat. Fields: <code>phone, value, duration_seconds?</code>."
      },
      {
        name: "Chats: Pin",
        value: "chats.pin",
        description: "Pin or unpin a chat. Fields: <code>phone, value</code>."
      },
      {
        name: "Chats: Star",
        value: "chats.star",
        description: "Star or unstar a message. Fields: <code>phone, message_id, value</code>."
      },
      {
        name: "Communities: Add Participants",
        value: "communities.addParticipants",
        description: "Add people to a community. Fields: <code>community_id, phones, auto_invite?</code>."
      },
      {
        name: "Communities: Announcement",
        value: "communities.announcement",
        description: "Read the announcement group of a community. Fields: <code>community_id</code>."
      },
      {
        name: "Communities: Create",
        value: "communities.create",
        description: "Create a community. Fields: <code>name, description?</code>."
      },
      {
        name: "Communities: Deactivate",
        value: "communities.deactivate",
        description: "Deactivate a community; its groups continue without it. Fields: <code>community_id</code>."
      },
      {
        name: "Communities: Demote Participants",
        value: "communities.demoteParticipants",
        description: "Take the administrator role of a community from people. Fields: <code>community_id, phones</code>."
      },
      {
        name: "Communities: Invitation Link",
        value: "communities.invitationLink",
        description: "Read the invitation link of a community. Fields: <code>community_id</code>."
      },
      {
        name: "Communities: Link Groups",
        value: "communities.linkGroups",
        description: "Put groups into a community. Fields: <code>community_id, groups</code>."
      },
      {
        name: "Communities: List",
        value: "communities.list",
        description: "List the communities of the account. Fields: <code>page?, page_size?</code>."
      },
      {
        name: "Communities: Metadata",
        value: "communities.metadata",
        description: "Read a community and its groups. Fields: <code>community_id</code>."
      },
      {
        name: "Communities: Promote Participants",
        value: "communities.promoteParticipants",
        description: "Make people administrators of a community. Fields: <code>community_id, phones</code>."
      },
      {
        name: "Communities: Remove Participants",
        value: "communities.removeParticipants",
        description: "Remove people from a community and all its groups. Fields: <code>community_id, phones</code>."
      },
      {
        name: "Communities: Reset Invitation Link",
        value: "communities.resetInvitationLink",
        description: "Revoke the invitation link of a community and create a new one. Fields: <code>community_id</code>."
      },
      {
        name: "Communities: Unlink Groups",
        value: "communities.unlinkGroups",
        description: "Take groups out of a community. Fields: <code>community_id, groups, remove_orphaned_members?</code>."
      },
      {
        name: "Communities: Update Description",
        value: "communities.updateDescription",
        description: "Change or clear the description of a community. Fields: <code>community_id, value</code>."
      },
      {
        name: "Communities: Update Name",
        value: "communities.updateName",
        description: "Rename a community. Fields: <code>community_id, value</code>."
      },
      {
        name: "Communities: Update Photo",
        value: "communities.updatePhoto",
        description: "Change the picture of a community. Fields: <code>community_id, value</code>."
      },
      {
        name: "Communities: Update Settings",
        value: "communities.updateSettings",
        description: "Change who may add groups to a community. Fields: <code>community_id, who_can_add_groups</code>."
      },
      {
        name: "Contacts: Add",
        value: "contacts.add",
        description: "Save people on the phone under a name. Fields: <code>contacts</code>."
      },
      {
        name: "Contacts: Block",
        value: "contacts.block",
        description: "Block a person. Fields: <code>phone</code>."
      },
      {
        name: "Contacts: Blocked",
        value: "contacts.blocked",
        description: "List the blocked people"
      },
      {
        name: "Contacts: Remove",
        value: "contacts.remove",
        description: "Remove saved people from the phone. Fields: <code>phones</code>."
      },
      {
        name: "Contacts: Report",
        value: "contacts.report",
        description: "Report a person or a group to the network. Fields: <code>phone, block?</code>."
      },
      {
        name: "Contacts: Unblock",
        value: "contacts.unblock",
        description: "Unblock a person. Fields: <code>phone</code>."
      },
      {
        name: "Groups: Accept Invitation",
        value: "groups.acceptInvitation",
        description: "Join a group by its invitation link. Fields: <code>&#117;rl</code>."
      },
      {
        name: "Groups: Approve Participants",
        value: "groups.approveParticipants",
        description: "Accept requests to join a group. Fields: <code>group_id, phones</code>."
      },
      {
        name: "Groups: Demote Participants",
        value: "groups.demoteParticipants",
        description: "Take the administrator role from people. Fields: <code>group_id, phones</code>."
      },
      {
        name: "Groups: Invitation Metadata",
        value: "groups.invitationMetadata",
        description: "Read the group to which an invitation link leads. Fields: <code>&#117;rl</code>."
      },
      {
        name: "Groups: Leave",
        value: "groups.leave",
        description: "Leave a group. Fields: <code>group_id</code>."
      },
      {
        name: "Groups: Light Metadata",
        value: "groups.lightMetadata",
        description: "Read a group without its invitation link. Fields: <code>group_id</code>."
      },
      {
        name: "Groups: Participant Requests",
        value: "groups.participantRequests",
        description: "List the requests to join a group. Fields: <code>group_id</code>."
      },
      {
        name: "Groups: Promote Participants",
        value: "groups.promoteParticipants",
        description: "Make people administrators of a group. Fields: <code>group_id, phones</code>."
      },
      {
        name: "Groups: Reject Participants",
        value: "groups.rejectParticipants",
        description: "Refuse requests to join a group. Fields: <code>group_id, phones</code>."
      },
      {
        name: "Groups: Remove Photo",
        value: "groups.removePhoto",
        description: "Remove the picture of a group. Fields: <code>group_id</code>."
      },
      {
        name: "Groups: Reset Invitation Link",
        value: "groups.resetInvitationLink",
        description: "Revoke the invitation link of a group and create a new one. Fields: <code>group_id</code>."
      },
      {
        name: "Groups: Update Description",
        value: "groups.updateDescription",
        description: "Change or clear the description of a group. Fields: <code>group_id, value</code>."
      },
      {
        name: "Groups: Update Photo",
        value: "groups.updatePhoto",
        description: "Change the picture of a group. Fields: <code>group_id, value</code>."
      },
      {
        name: "Groups: Update Settings",
        value: "groups.updateSettings",
        description: "Change the permissions of a group. Fields: <code>group_id, admin_only_message?, admin_only_settings?, admin_only_add_member?, require_admin_approval?, ephemeral_seconds?</code>."
      },
      {
        name: "Instance: Device",
        value: "instance.device",
        description: "Read the connected account"
      },
      {
        name: "Instance: Disconnect",
        value: "instance.disconnect",
        description: "Log out and remove the linked device"
      },
      {
        name: "Instance: Passkey",
        value: "instance.passkey",
        description: "Read the state of the linking with a passkey"
      },
      {
        name: "Instance: Passkey Confirm",
        value: "instance.passkeyConfirm",
        description: "Confirm or deny that the phone shows the same code. Fields: <code>matches</code>."
      },
      {
        name: "Instance: Passkey Response",
        value: "instance.passkeyResponse",
        description: "Submit the assertion of the browser. Fields: <code>assertion</code>."
      },
      {
        name: "Instance: Passkey Ticket",
        value: "instance.passkeyTicket",
        description: "Let a browser sign without the credentials of the instance"
      },
      {
        name: "Instance: Pause",
        value: "instance.pause",
        description: "Close the session and keep it closed"
      },
      {
        name: "Instance: Phone Code",
        value: "instance.phoneCode",
        description: "Get a pairing code to type on the phone. Fields: <code>phone</code>."
      },
      {
        name: "Instance: QR Code",
        value: "instance.qrCode",
        description: "Get the QR code for pairing, as a data URL"
      },
      {
        name: "Instance: QR Code Image",
        value: "instance.qrCodeImage",
        description: "Get the QR code for pairing, as an image"
      },
      {
        name: "Instance: QR Code Page",
        value: "instance.qrCodePage",
        description: "Pair in a browser"
      },
      {
        name: "Instance: Rename",
        value: "instance.rename",
        description: "Rename the instance. Fields: <code>value</code>."
      },
      {
        name: "Instance: Resume",
        value: "instance.resume",
        description: "Open the session of a paused instance again"
      },
      {
        name: "Instance: Update Settings",
        value: "instance.updateSettings",
        description: "Change settings. Fields: <code>auto_read_message?, auto_read_status?, call_reject_auto?, call_reject_message?, disable_enqueue_when_disconnected?, queue_max_age_hours?, delay_message_min_ms?, delay_message_max_ms?, proxy_url?, dialect?, first_contacts_per_hour?, first_contacts_per_day?, first_contacts_warm_up?, quiet_hours?, pause_after_unanswered?</code>."
      },
      {
        name: "Labels: Add to Chat",
        value: "labels.addToChat",
        description: "Add a label to a chat. Fields: <code>phone, label_id</code>."
      },
      {
        name: "Labels: Colors",
        value: "labels.colors",
        description: "List the colors of labels"
      },
      {
        name: "Labels: Create",
        value: "labels.create",
        description: "Create a label. Fields: <code>name, color?</code>."
      },
      {
        name: "Labels: Delete",
        value: "labels.delete",
        description: "Remove a label. Fields: <code>label_id</code>."
      },
      {
        name: "Labels: List",
        value: "labels.list",
        description: "List the labels, and the chats that have them"
      },
      {
        name: "Labels: Remove From Chat",
        value: "labels.removeFromChat",
        description: "Remove a label from a chat. Fields: <code>phone, label_id</code>."
      },
      {
        name: "Labels: Update",
        value: "labels.update",
        description: "Change the name or the color of a label. Fields: <code>label_id, name?, color?</code>."
      },
      {
        name: "Newsletters: Accept Admin Invite",
        value: "newsletters.acceptAdminInvite",
        description: "Accept an invitation to administer a channel. Fields: <code>newsletter_id</code>."
      },
      {
        name: "Newsletters: Create",
        value: "newsletters.create",
        description: "Create a channel. Fields: <code>name, description?, picture?</code>."
      },
      {
        name: "Newsletters: Delete",
        value: "newsletters.delete",
        description: "Delete a channel. Fields: <code>newsletter_id</code>."
      },
      {
        name: "Newsletters: Follow",
        value: "newsletters.follow",
        description: "Follow a channel. Fields: <code>newsletter_id</code>."
      },
      {
        name: "Newsletters: Invitation Metadata",
        value: "newsletters.invitationMetadata",
        description: "Read the channel of a link. Fields: <code>&#117;rl</code>."
      },
      {
        name: "Newsletters: List",
        value: "newsletters.list",
        description: "List the channels that the account owns, administers and follows. Fields: <code>page?, page_size?</code>."
      },
      {
        name: "Newsletters: Messages",
        value: "newsletters.messages",
        description: "Read the posts of a channel. Fields: <code>newsletter_id, limit?, cursor?</code>."
      },
      {
        name: "Newsletters: Metadata",
        value: "newsletters.metadata",
        description: "Read a channel. Fields: <code>newsletter_id</code>."
      },
      {
        name: "Newsletters: Mute",
        value: "newsletters.mute",
        description: "Mute a channel. Fields: <code>newsletter_id</code>."
      },
      {
        name: "Newsletters: Remove Admin",
        value: "newsletters.removeAdmin",
        description: "Remove an administrator of a channel. Fields: <code>newsletter_id, phone</code>."
      },
      {
        name: "Newsletters: Remove Picture",
        value: "newsletters.removePicture",
        description: "Remove the picture of a channel. Fields: <code>newsletter_id</code>."
      },
      {
        name: "Newsletters: Revoke Admin Invite",
        value: "newsletters.revokeAdminInvite",
        description: "Revoke an invitation to administer a channel. Fields: <code>newsletter_id, phone</code>."
      },
      {
        name: "Newsletters: Search",
        value: "newsletters.search",
        description: "Search the directory of channels. Fields: <code>search_text?, view?, country_codes?, limit?, cursor?</code>."
      },
      {
        name: "Newsletters: Transfer Ownership",
        value: "newsletters.transferOwnership",
        description: "Transfer the ownership of a channel. Fields: <code>newsletter_id, phone, quit_admin?</code>."
      },
      {
        name: "Newsletters: Unfollow",
        value: "newsletters.unfollow",
        description: "Unfollow a channel. Fields: <code>newsletter_id</code>."
      },
      {
        name: "Newsletters: Unmute",
        value: "newsletters.unmute",
        description: "Unmute a channel. Fields: <code>newsletter_id</code>."
      },
      {
        name: "Newsletters: Update Description",
        value: "newsletters.updateDescription",
        description: "Change or clear the description of a channel. Fields: <code>newsletter_id, value</code>."
      },
      {
        name: "Newsletters: Update Name",
        value: "newsletters.updateName",
        description: "Rename a channel. Fields: <code>newsletter_id, value</code>."
      },
      {
        name: "Newsletters: Update Picture",
        value: "newsletters.updatePicture",
        description: "Change the picture of a channel. Fields: <code>newsletter_id, value</code>."
      },
      {
        name: "Newsletters: Update Settings",
        value: "newsletters.updateSettings",
        description: "Choose which reactions a channel accepts. Fields: <code>newsletter_id, reaction_codes</code>."
      },
      {
        name: "Privacy: About",
        value: "privacy.about",
        description: "Choose who sees the about text. Fields: <code>value, contacts?</code>."
      },
      {
        name: "Privacy: Disallowed Contacts",
        value: "privacy.disallowedContacts",
        description: "List the people that a setting excludes. Fields: <code>type</code>."
      },
      {
        name: "Privacy: Get",
        value: "privacy.get",
        description: "Read the privacy settings of the account"
      },
      {
        name: "Privacy: Groups Add",
        value: "privacy.groupsAdd",
        description: "Choose who may add to groups. Fields: <code>value, contacts?</code>."
      },
      {
        name: "Privacy: Last Seen",
        value: "privacy.lastSeen",
        description: "Choose who sees when the account was last seen. Fields: <code>value, contacts?</code>."
      },
      {
        name: "Privacy: Messages Duration",
        value: "privacy.messagesDuration",
        description: "Set the message timer of new 1:1 chats. Fields: <code>value</code>."
      },
      {
        name: "Privacy: Online",
        value: "privacy.online",
        description: "Choose who sees that the account is online. Fields: <code>value</code>."
      },
      {
        name: "Privacy: Profile Photo",
        value: "privacy.profilePhoto",
        description: "Choose who sees the picture. Fields: <code>value, contacts?</code>."
      },
      {
        name: "Privacy: Read Receipts",
        value: "privacy.readReceipts",
        description: "Enable or disable read receipts. Fields: <code>value</code>."
      },
      {
        name: "Profile: Get",
        value: "profile.get",
        description: "Read the profile of the account, as others see it"
      },
      {
        name: "Profile: Remove Picture",
        value: "profile.removePicture",
        description: "Remove the picture of the account"
      },
      {
        name: "Profile: Update About",
        value: "profile.updateAbout",
        description: "Change the about text. Fields: <code>value</code>."
      },
      {
        name: "Profile: Update Name",
        value: "profile.updateName",
        description: "Change the name of the account. Fields: <code>value</code>."
      },
      {
        name: "Profile: Update Picture",
        value: "profile.updatePicture",
        description: "Change the picture of the account. Fields: <code>value</code>."
      },
      {
        name: "Queue: Remove",
        value: "queue.remove",
        description: "Remove one waiting message. Fields: <code>svc_id</code>."
      },
      {
        name: "Queue: Send Safety",
        value: "queue.sendSafety",
        description: "Read the use of the budgets of send safety"
      },
      {
        name: "Send: Order Status Update",
        value: "send.orderStatusUpdate",
        description: "Send the status of an order. Fields: <code>phone, message_id?, reference_id, order_request_id?, order_status, payment_status?, message?, description?, order?, reply_to_message_id?, mentions?, mention_all?, delay_message?, send_at?, delay_typing?</code>."
      },
      {
        name: "Send: Pin Message",
        value: "send.pinMessage",
        description: "Pin or unpin a message for everyone. Fields: <code>phone, message_id, from_me?, participant?, message_action?, pin_message_duration?, delay_message?, send_at?</code>."
      },
      {
        name: "Send: Reply Status GIF",
        value: "send.replyStatusGif",
        description: "Answer a status with a GIF. Fields: <code>phone, status_message_id, gif, mention_all?, delay_message?, send_at?, delay_typing?</code>."
      },
      {
        name: "Send: Reply Status Sticker",
        value: "send.replyStatusSticker",
        description: "Answer a status with a sticker. Fields: <code>phone, status_message_id, sticker, mention_all?, delay_message?, send_at?, delay_typing?</code>."
      },
      {
        name: "Send: Reply Status Text",
        value: "send.replyStatusText",
        description: "Answer a status with a text. Fields: <code>phone, status_message_id, message, mentions?, mention_all?, delay_message?, send_at?, delay_typing?</code>."
      },
      {
        name: "Send: Send Button OTP",
        value: "send.sendButtonOtp",
        description: "Send a code with a button that copies it. Fields: <code>phone, message, code, button_text?, image?, reply_to_message_id?, mentions?, mention_all?, delay_message?, send_at?, delay_typing?</code>."
      },
      {
        name: "Send: Send Button Pix",
        value: "send.sendButtonPix",
        description: "Send a Pix key with a button that copies it. Fields: <code>phone, pix_key, type, merchant_name?, reply_to_message_id?, mention_all?, delay_message?, send_at?, delay_typing?</code>."
      },
      {
        name: "Send: Send Buttons",
        value: "send.sendButtons",
        description: "Send action buttons. Fields: <code>phone, message, button_actions, title?, footer?, reply_to_message_id?, mentions?, mention_all?, delay_message?, send_at?, delay_typing?</code>."
      },
      {
        name: "Send: Send Carousel",
        value: "send.sendCarousel",
        description: "Send cards to swipe through. Fields: <code>phone, message, carousel, reply_to_message_id?, mentions?, mention_all?, delay_message?, send_at?, delay_typing?</code>."
      },
      {
        name: "Send: Send Catalog",
        value: "send.sendCatalog",
        description: "Send a link to a catalogue. Fields: <code>phone, catalog_phone, message?, title?, catalog_description?, translation?, reply_to_message_id?, mentions?, mention_all?, delay_message?, send_at?, delay_typing?</code>."
      },
      {
        name: "Send: Send Contacts",
        value: "send.sendContacts",
        description: "Send several contact cards. Fields: <code>phone, contacts, reply_to_message_id?, mention_all?, delay_message?, send_at?, delay_typing?</code>."
      },
      {
        name: "Send: Send Edit Event",
        value: "send.sendEditEvent",
        description: "Change a calendar event. Fields: <code>phone, event_message_id, event, mention_all?, delay_message?, send_at?, delay_typing?</code>."
      },
      {
        name: "Send: Send Event",
        value: "send.sendEvent",
        description: "Send a calendar event. Fields: <code>phone, event, reply_to_message_id?, mention_all?, delay_message?, send_at?, delay_typing?</code>."
      },
      {
        name: "Send: Send Event Response",
        value: "send.sendEventResponse",
        description: "Answer a calendar event. Fields: <code>phone, event_message_id, event_response, delay_message?, send_at?</code>."
      },
      {
        name: "Send: Send GIF",
        value: "send.sendGif",
        description: "Send a GIF. Fields: <code>phone, gif, caption?, reply_to_message_id?, mentions?, mention_all?, delay_message?, send_at?, delay_typing?</code>."
      },
      {
        name: "Send: Send Image Status",
        value: "send.sendImageStatus",
        description: "Post an image as status. Fields: <code>image, caption?, reply_to_message_id?, mentions?, delay_message?, send_at?</code>."
      },
      {
        name: "Send: Send Newsletter Admin Invite",
        value: "send.sendNewsletterAdminInvite",
        description: "Invite a person to administer a channel. Fields: <code>phone, newsletter_id, caption?, reply_to_message_id?, mentions?, mention_all?, delay_message?, send_at?, delay_typing?</code>."
      },
      {
        name: "Send: Send Order",
        value: "send.sendOrder",
        description: "Send an order. Fields: <code>phone, order, token?, message?, payment_settings?, reply_to_message_id?, mentions?, mention_all?, delay_message?, send_at?, delay_typing?</code>."
      },
      {
        name: "Send: Send Poll Vote",
        value: "send.sendPollVote",
        description: "Vote in a poll. Fields: <code>phone, poll_message_id, options, delay_message?, send_at?</code>."
      },
      {
        name: "Send: Send Product",
        value: "send.sendProduct",
        description: "Send a product of a catalogue. Fields: <code>phone, catalog_phone, product_id, reply_to_message_id?, mention_all?, delay_message?, send_at?, delay_typing?</code>."
      },
      {
        name: "Send: Send Ptv",
        value: "send.sendPtv",
        description: "Send a round video note. Fields: <code>phone, ptv, reply_to_message_id?, mention_all?, delay_message?, send_at?, delay_typing?</code>."
      },
      {
        name: "Send: Send Text Status",
        value: "send.sendTextStatus",
        description: "Post a text as status. Fields: <code>message, background_color?, font?, reply_to_message_id?, mentions?, delay_message?, send_at?</code>."
      },
      {
        name: "Send: Send Video Status",
        value: "send.sendVideoStatus",
        description: "Post a video as status. Fields: <code>video, caption?, reply_to_message_id?, mentions?, delay_message?, send_at?</code>."
      },
      {
        name: "System: Docs",
        value: "system.docs",
        description: "Open the API reference as a page"
      },
      {
        name: "System: Live",
        value: "system.live",
        description: "Check that the process answers"
      },
      {
        name: "System: Metrics",
        value: "system.metrics",
        description: "Read the metrics for Prometheus"
      },
      {
        name: "System: Openapi",
        value: "system.openapi",
        description: "Read the OpenAPI description of this API"
      },
      {
        name: "System: Ready",
        value: "system.ready",
        description: "Check that the service is ready"
      },
      {
        name: "System: Version",
        value: "system.version",
        description: "Read the version of the running service"
      },
      {
        name: "Webhooks: Rotate Secret",
        value: "webhooks.rotateSecret",
        description: "Create a new signature secret. Fields: <code>grace_seconds?</code>."
      },
      {
        name: "Webhooks: Test",
        value: "webhooks.test",
        description: "Send a test event to a receiver. Fields: <code>type</code>."
      },
      {
        name: "Webhooks: Update",
        value: "webhooks.update",
        description: "Change webhook URLs and filters. Fields: <code>received_url?, delivery_url?, message_status_url?, instance_status_url?, chat_presence_url?, notify_sent_by_me?, ignore_groups?, ignore_private?, ignore_text?, ignore_image?, ignore_video?, ignore_audio?, ignore_document?, ignore_received_callback?, ignore_delivery_callback?, ignore_message_status_callback?, ignore_instance_status_callback?, ignore_chat_presence_callback?, single_url?, connected_url?, disconnected_url?, ignore_connected_callback?, ignore_disconnected_callback?</code>."
      },
      {
        name: "Webhooks: Update Type",
        value: "webhooks.updateType",
        description: "Set the URL of one event type. Fields: <code>type, value</code>."
      }
    ],
    default: "account.createConnectLink",
    description: "The operation; a question mark follows the fields that may be omitted"
  }
]

/** Contents of received messages, for the filters of the triggers. */
export const messageTypes: INodePropertyOptions[] = [
  {
    name: "Audio",
    value: "audio"
  },
  {
    name: "Buttons",
    value: "buttons"
  },
  {
    name: "Buttons Response",
    value: "buttons_response"
  },
  {
    name: "Carousel",
    value: "carousel"
  },
  {
    name: "Contact",
    value: "contact"
  },
  {
    name: "Contacts",
    value: "contacts"
  },
  {
    name: "Document",
    value: "document"
  },
  {
    name: "Event",
    value: "event"
  },
  {
    name: "Event Response",
    value: "event_response"
  },
  {
    name: "Flow Response",
    value: "flow_response"
  },
  {
    name: "Group Invite",
    value: "group_invite"
  },
  {
    name: "Hydrated Template",
    value: "hydrated_template"
  },
  {
    name: "Image",
    value: "image"
  },
  {
    name: "List",
    value: "list"
  },
  {
    name: "List Response",
    value: "list_response"
  },
  {
    name: "Live Location",
    value: "live_location"
  },
  {
    name: "Location",
    value: "location"
  },
  {
    name: "Newsletter Admin Invite",
    value: "newsletter_admin_invite"
  },
  {
    name: "Newsletter Invite",
    value: "newsletter_invite"
  },
  {
    name: "Notification",
    value: "notification"
  },
  {
    name: "Order",
    value: "order"
  },
  {
    name: "Pin",
    value: "pin"
  },
  {
    name: "Pix Key",
    value: "pix_key"
  },
  {
    name: "Poll",
    value: "poll"
  },
  {
    name: "Poll Vote",
    value: "poll_vote"
  },
  {
    name: "Product",
    value: "product"
  },
  {
    name: "Reaction",
    value: "reaction"
  },
  {
    name: "Request Payment",
    value: "request_payment"
  },
  {
    name: "Review And Pay",
    value: "review_and_pay"
  },
  {
    name: "Review Order",
    value: "review_order"
  },
  {
    name: "Send Payment",
    value: "send_payment"
  },
  {
    name: "Sticker",
    value: "sticker"
  },
  {
    name: "Text",
    value: "text"
  },
  {
    name: "Unsupported",
    value: "unsupported"
  },
  {
    name: "Video",
    value: "video"
  },
  {
    name: "Waiting Message",
    value: "waiting_message"
  }
]
