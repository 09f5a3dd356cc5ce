import { z } from 'zod'
import { acknowledged, destination, integer, messageId, text } from '../fields.ts'
import { actOf, send } from './queued.ts'

const option = text(1, 100)

export const sendPoll = send('send.sendPoll', 'POST /send-poll', {
  summary: 'Send a poll',
  input: {
    phone: destination('user', 'group', 'newsletter'),
    question: text(1, 255).meta({ description: 'Question of the poll.' }),
    options: z.array(option).min(2).max(12).meta({ description: 'Options of the poll, which must all differ.' }),
    poll_max_options: integer(0, 12)
      .default(1)
      .meta({ description: 'Number of options that one person may choose; 0, or more than the poll has, means no limit.' }),
  },
  words: ({ question }) => question,
  check({ options }, issue) {
    for (const [index, one] of options.entries())
      if (options.indexOf(one) < index) issue(`options.${index}`, 'must differ from the other options')
  },
  examples: [
    {
      name: 'one of two',
      input: {
        phone: '120363019502650977-group',
        question: 'Which day?',
        options: ['Monday', 'Tuesday'],
        poll_max_options: 1,
      },
      reply: acknowledged,
    },
  ],
})

export const sendPollVote = send('send.sendPollVote', 'POST /send-poll-vote', {
  about: 'poll_message_id',
  summary: 'Vote in a poll',
  description: 'Each vote replaces the previous one. An unknown option, or too many options, fails with `send_failed`.',
  input: {
    phone: destination('user', 'group'),
    poll_message_id: messageId.meta({ description: 'Id of a poll of this chat that the service still stores.' }),
    options: z
      .array(option)
      .max(12)
      .meta({ description: 'Exact texts of the chosen options; an empty list withdraws the vote.' }),
  },
  without: actOf('a vote'),
  examples: [
    {
      name: 'one',
      input: { phone: '120363019502650977-group', poll_message_id: '3EB0796DC6B777C0C7CD', options: ['Tuesday'] },
      reply: acknowledged,
    },
  ],
})
