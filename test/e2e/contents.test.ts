import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import sharp from 'sharp'
import { chatOf } from '../harness/places.ts'
import { field, type Json, startStage } from '../harness/stage.ts'

const ME = '5511999990000'
const ANA = '5511988880001'
const OTHER = '5511988880002'

const stage = await startStage(ME)
await stage.world.sandbox.createContact(ANA, { name: 'Ana' })
const created = await stage.world.sandbox.createGroup({ subject: 'Team', owner: ANA, participants: [ANA, ME] })
const group = chatOf(created.id)
after(() => stage.world.stop())

test('a place arrives with its name, address and coordinates, in a stanza of media', async () => {
  const input = { phone: ANA, title: 'Head office', address: 'Av. Paulista, 1000', latitude: -23.5645, longitude: '-46.6527' }
  const { proto, attrs } = await stage.shown('/send-location', input)
  const place = field(proto, 'locationMessage')
  assert.equal(place.name, 'Head office')
  assert.equal(place.address, 'Av. Paulista, 1000')
  assert.equal(place.degreesLatitude, -23.5645)
  assert.equal(place.degreesLongitude, -46.6527)
  assert.equal(attrs?.type, 'media')
})

test('a place in a group can mention everybody, and mentions without a text to stand in are ignored', async () => {
  const place = { title: 'x', address: 'y', latitude: 1, longitude: 2 }
  const { proto } = await stage.shown('/send-location', { phone: group, ...place, mention_all: true, mentions: [ANA] }, ANA)
  const info = field(field(proto, 'locationMessage'), 'contextInfo')
  assert.equal(info.nonJidMentions, 1)
  assert.equal((info.mentionedJid as string[]).length, 2)
})

test('a contact arrives as a card that WhatsApp can open a chat from', async () => {
  const { proto, attrs } = await stage.shown('/send-contact', {
    phone: ANA,
    contact_name: 'Support',
    contact_phone: '5511900001111',
  })
  const card = field(proto, 'contactMessage')
  assert.equal(card.displayName, 'Support')
  assert.equal(
    card.vcard,
    [
      'BEGIN:VCARD',
      'VERSION:3.0',
      'N:;Support;;;',
      'FN:Support',
      'TEL;type=CELL;waid=5511900001111:+5511900001111',
      'END:VCARD',
    ].join('\n'),
  )
  assert.equal(attrs?.type, 'media')
})

test('nothing in a name can write a line of a card', async () => {
  const { proto } = await stage.shown('/send-contact', {
    phone: ANA,
    contact_name: 'A\nTEL:1;b,c\\d\r\nX:1\u2028Y',
    contact_phone: '5511900001111',
    contact_business_description: 'Mon; to\nFri',
  })
  const lines = String(field(proto, 'contactMessage').vcard).split(/[\r\n\u2028]+/)
  assert.equal(lines.length, 7)
  assert.equal(lines[3], 'FN:A\\nTEL:1\\;b\\,c\\\\d\\nX:1\\nY')
  assert.equal(lines[5], 'X-WA-BIZ-DESCRIPTION:Mon\\; to\\nFri')
})

test('several contacts arrive together, one alone as a single card', async () => {
  const contacts = [
    { name: 'Sales', phones: ['5511900001111'] },
    { name: 'Finance', phones: ['5511900002222', '5511900003333'], business_description: 'Mon to Fri' },
  ]
  const several = field((await stage.shown('/send-contacts', { phone: ANA, contacts })).proto, 'contactsArrayMessage')
  assert.equal(several.displayName, '2 contacts')
  const cards = several.contacts as Json[]
  assert.deepEqual(
    cards.map(({ displayName }) => displayName),
    ['Sales', 'Finance'],
  )
  assert.match(String(cards[1]!.vcard), /waid=5511900002222:\+5511900002222\nTEL;type=CELL;waid=5511900003333/)
  const alone = await stage.shown('/send-contacts', { phone: ANA, contacts: contacts.slice(0, 1) })
  assert.equal(field(alone.proto, 'contactMessage').displayName, 'Sales')
})

test('a link arrives with its card; a URL the text lacks is appended', async () => {
  const link = { link_url: 'https://shop.example', title: 'Example Shop', link_description: 'Everything for the house' }
  const { proto } = await stage.shown('/send-link', { phone: ANA, message: 'See', ...link })
  const text = field(proto, 'extendedTextMessage')
  assert.equal(text.text, 'See\nhttps://shop.example')
  assert.equal(text.matchedText, 'https://shop.example')
  assert.equal(text.title, 'Example Shop')
  assert.equal(text.description, 'Everything for the house')
  const within = await stage.shown('/send-link', { phone: ANA, message: 'At https://shop.example now', ...link })
  assert.equal(within.text, 'At https://shop.example now')
})

test('the picture of a card is embedded, and on the media host when the card is larger', async () => {
  const pixels = { create: { width: 600, height: 315, channels: 3, background: '#128c7e' } } as const
  const image = (await sharp(pixels).png().toBuffer()).toString('base64')
  const link = { phone: ANA, message: 'https://a.example', link_url: 'https://a.example', title: 't', image }
  const small = field((await stage.shown('/send-link', link)).proto, 'extendedTextMessage')
  const thumbnail = await sharp(Buffer.from(String(small.jpegThumbnail), 'base64')).metadata()
  assert.equal(thumbnail.format, 'jpeg')
  assert.equal(small.thumbnailDirectPath ?? null, null)
  const large = field((await stage.shown('/send-link', { ...link, link_type: 'large' })).proto, 'extendedTextMessage')
  assert.ok(String(large.jpegThumbnail).length > 0)
  assert.ok(large.thumbnailDirectPath)
  assert.equal(Buffer.from(String(large.mediaKey), 'base64').length, 32)
  assert.equal(large.thumbnailWidth, 600)
})

test('a card whose picture cannot be had goes without it', async () => {
  const link = { phone: ANA, message: 'https://a.example', link_url: 'https://a.example', title: 't' }
  const gone = await stage.shown('/send-link', { ...link, image: 'http://127.0.0.1:1/og.jpg', link_type: 'large' })
  assert.equal(field(gone.proto, 'extendedTextMessage').title, 't')
  assert.equal(field(gone.proto, 'extendedTextMessage').jpegThumbnail ?? null, null)
  const text = Buffer.from('no picture at all').toString('base64')
  assert.equal(field((await stage.shown('/send-link', { ...link, image: text })).proto, 'extendedTextMessage').title, 't')
})

test('a link answers a message and mentions people as a text does', async () => {
  const first = await stage.shown('/send-text', { phone: ANA, message: 'first' })
  const { proto } = await stage.shown('/send-link', {
    phone: ANA,
    message: `@${ANA} https://a.example`,
    link_url: 'https://a.example',
    title: 't',
    mentions: [ANA],
    reply_to_message_id: first.id,
  })
  const info = field(field(proto, 'extendedTextMessage'), 'contextInfo')
  assert.equal(info.stanzaId, first.id)
  assert.deepEqual(info.mentionedJid, [`${ANA}@s.whatsapp.net`])
})

test('an invitation to run a channel is registered with the network before it is sent', async () => {
  const { id } = await stage.world.sandbox.post<{ id: string }>('/newsletters', { owner: ME, name: 'News' })
  const { proto } = await stage.shown('/send-newsletter-admin-invite', { phone: ANA, newsletter_id: id, caption: 'Help me?' })
  const invite = field(proto, 'newsletterAdminInviteMessage')
  assert.equal(invite.newsletterJid, id)
  assert.equal(invite.newsletterName, 'News')
  assert.equal(invite.caption, 'Help me?')
  assert.ok(Number(invite.inviteExpiration) > Date.now() / 1_000)
})

test('an invitation shows the picture of the channel, and goes without one that cannot be had', async () => {
  const invited = async (picture: string) => {
    const { id } = await stage.world.sandbox.post<{ id: string }>('/newsletters', { owner: ME, name: 'Pictured', picture })
    const { proto } = await stage.shown('/send-newsletter-admin-invite', { phone: ANA, newsletter_id: id })
    return field(proto, 'newsletterAdminInviteMessage').jpegThumbnail
  }
  const jpeg = await sharp({ create: { width: 640, height: 640, channels: 3, background: '#128c7e' } })
    .jpeg()
    .toBuffer()
  const shown = await sharp(Buffer.from(String(await invited(jpeg.toString('base64'))), 'base64')).metadata()
  assert.equal(shown.format, 'jpeg')
  assert.ok(shown.width < 640, 'a small one')
  assert.equal((await invited(Buffer.from('no picture at all').toString('base64'))) ?? null, null)
})

test('an invitation that cannot be registered is not sent', async () => {
  const foreign = await stage.world.sandbox.post<{ id: string }>('/newsletters', { owner: OTHER, name: 'Theirs' })
  const invite = (newsletter_id: string) => stage.outcome('/send-newsletter-admin-invite', { phone: ANA, newsletter_id })
  assert.equal((await invite(foreign.id)).error_code, 'not_allowed')
  assert.equal((await invite('120363000000000000@newsletter')).error_code, 'newsletter_not_found')
})

test('bounds are told before anything is queued', async () => {
  const place = { phone: ANA, title: 'x', address: 'y' }
  assert.deepEqual(await stage.refused('/send-location', { ...place, latitude: 90.5, longitude: 'east' }), [
    { path: 'latitude', message: 'must be at most 90' },
    { path: 'longitude', message: 'must be a number' },
  ])
  const [issue] = await stage.refused('/send-contacts', { phone: ANA, contacts: [{ name: 'x', phones: ['+55'] }] })
  assert.equal(issue?.path, 'contacts.0.phones.0')
})
