/** Written by `npm run client` from the OpenAPI description. */
import type { Method, SendMethod } from '../method.ts'
import type { Route } from '../route.ts'

export const INSTANCE_ROUTES: Readonly<Record<string, Route>> = {
  'instance.device': {"method":"GET","path":"/device"},
  'instance.disconnect': {"method":"POST","path":"/disconnect"},
  'instance.me': {"method":"GET","path":"/me"},
  'instance.pause': {"method":"POST","path":"/pause"},
  'instance.phoneCode': {"method":"GET","path":"/phone-code/{phone}"},
  'instance.qrCode': {"method":"GET","path":"/qr-code"},
  'instance.qrCodeImage': {"method":"GET","path":"/qr-code/image","answer":"bytes"},
  'instance.qrCodePage': {"method":"GET","path":"/qr-code/page","answer":"text"},
  'instance.rename': {"method":"PUT","path":"/name","body":"json"},
  'instance.restart': {"method":"POST","path":"/restart"},
  'instance.resume': {"method":"POST","path":"/resume"},
  'instance.status': {"method":"GET","path":"/status"},
  'instance.updateSettings': {"method":"PUT","path":"/settings","body":"json"},
  'instance.passkey': {"method":"GET","path":"/passkey"},
  'instance.passkeyConfirm': {"method":"POST","path":"/passkey/confirm","body":"json"},
  'instance.passkeyResponse': {"method":"POST","path":"/passkey/response","body":"json"},
  'instance.passkeyTicket': {"method":"POST","path":"/passkey/ticket"},
  'send.sendText': {"method":"POST","path":"/send-text","body":"json","isSend":true},
  'messages.readMessage': {"method":"POST","path":"/read-message","body":"json"},
  'messages.sendPresence': {"method":"POST","path":"/send-presence","body":"json"},
  'send.sendAudio': {"method":"POST","path":"/send-audio","body":"json","isSend":true},
  'send.sendDocument': {"method":"POST","path":"/send-document/{extension}","body":"json","isSend":true},
  'send.sendGif': {"method":"POST","path":"/send-gif","body":"json","isSend":true},
  'send.sendImage': {"method":"POST","path":"/send-image","body":"json","isSend":true},
  'send.sendPtv': {"method":"POST","path":"/send-ptv","body":"json","isSend":true},
  'send.sendSticker': {"method":"POST","path":"/send-sticker","body":"json","isSend":true},
  'send.sendVideo': {"method":"POST","path":"/send-video","body":"json","isSend":true},
  'send.sendContact': {"method":"POST","path":"/send-contact","body":"json","isSend":true},
  'send.sendContacts': {"method":"POST","path":"/send-contacts","body":"json","isSend":true},
  'send.sendLink': {"method":"POST","path":"/send-link","body":"json","isSend":true},
  'send.sendLocation': {"method":"POST","path":"/send-location","body":"json","isSend":true},
  'send.sendNewsletterAdminInvite': {"method":"POST","path":"/send-newsletter-admin-invite","body":"json","isSend":true},
  'send.deleteMessage': {"method":"DELETE","path":"/messages","query":["phone","message_id","owner","participant","reply_to_message_id","mentions","mention_all","delay_message","send_at","delay_typing"],"isSend":true},
  'send.forwardMessage': {"method":"POST","path":"/forward-message","body":"json","isSend":true},
  'send.pinMessage': {"method":"POST","path":"/pin-message","body":"json","isSend":true},
  'send.removeReaction': {"method":"POST","path":"/send-remove-reaction","body":"json","isSend":true},
  'send.sendReaction': {"method":"POST","path":"/send-reaction","body":"json","isSend":true},
  'send.sendPoll': {"method":"POST","path":"/send-poll","body":"json","isSend":true},
  'send.sendPollVote': {"method":"POST","path":"/send-poll-vote","body":"json","isSend":true},
  'send.sendButtonList': {"method":"POST","path":"/send-button-list","body":"json","isSend":true},
  'send.sendButtonOtp': {"method":"POST","path":"/send-button-otp","body":"json","isSend":true},
  'send.sendButtonPix': {"method":"POST","path":"/send-button-pix","body":"json","isSend":true},
  'send.sendButtons': {"method":"POST","path":"/send-buttons","body":"json","isSend":true},
  'send.sendCarousel': {"method":"POST","path":"/send-carousel","body":"json","isSend":true},
  'send.sendOptionList': {"method":"POST","path":"/send-option-list","body":"json","isSend":true},
  'send.orderStatusUpdate': {"method":"POST","path":"/order-status-update","body":"json","isSend":true},
  'send.sendCatalog': {"method":"POST","path":"/send-catalog","body":"json","isSend":true},
  'send.sendOrder': {"method":"POST","path":"/send-order","body":"json","isSend":true},
  'send.sendProduct': {"method":"POST","path":"/send-product","body":"json","isSend":true},
  'send.replyStatusGif': {"method":"POST","path":"/reply-status-gif","body":"json","isSend":true},
  'send.replyStatusSticker': {"method":"POST","path":"/reply-status-sticker","body":"json","isSend":true},
  'send.replyStatusText': {"method":"POST","path":"/reply-status-text","body":"json","isSend":true},
  'send.sendImageStatus': {"method":"POST","path":"/send-image-status","body":"json","isSend":true},
  'send.sendTextStatus': {"method":"POST","path":"/send-text-status","body":"json","isSend":true},
  'send.sendVideoStatus': {"method":"POST","path":"/send-video-status","body":"json","isSend":true},
  'send.sendEditEvent': {"method":"POST","path":"/send-edit-event","body":"json","isSend":true},
  'send.sendEvent': {"method":"POST","path":"/send-event","body":"json","isSend":true},
  'send.sendEventResponse': {"method":"POST","path":"/send-event-response","body":"json","isSend":true},
  'groups.acceptInvitation': {"method":"POST","path":"/groups/invitation/accept","body":"json"},
  'groups.invitationLink': {"method":"GET","path":"/groups/{group_id}/invitation-link"},
  'groups.resetInvitationLink': {"method":"POST","path":"/groups/{group_id}/invitation-link"},
  'groups.invitationMetadata': {"method":"GET","path":"/groups/invitation","query":["url"]},
  'groups.create': {"method":"POST","path":"/groups","body":"json"},
  'groups.list': {"method":"GET","path":"/groups","query":["page","page_size"]},
  'groups.leave': {"method":"POST","path":"/groups/{group_id}/leave"},
  'groups.lightMetadata': {"method":"GET","path":"/groups/{group_id}/light"},
  'groups.metadata': {"method":"GET","path":"/groups/{group_id}"},
  'groups.removePhoto': {"method":"DELETE","path":"/groups/{group_id}/photo"},
  'groups.updatePhoto': {"method":"PUT","path":"/groups/{group_id}/photo","body":"json"},
  'groups.updateDescription': {"method":"PUT","path":"/groups/{group_id}/description","body":"json"},
  'groups.updateName': {"method":"PUT","path":"/groups/{group_id}/name","body":"json"},
  'groups.updateSettings': {"method":"PUT","path":"/groups/{group_id}/settings","body":"json"},
  'groups.addParticipants': {"method":"POST","path":"/groups/{group_id}/participants/add","body":"json"},
  'groups.approveParticipants': {"method":"POST","path":"/groups/{group_id}/participants/approve","body":"json"},
  'groups.demoteParticipants': {"method":"POST","path":"/groups/{group_id}/participants/demote","body":"json"},
  'groups.promoteParticipants': {"method":"POST","path":"/groups/{group_id}/participants/promote","body":"json"},
  'groups.rejectParticipants': {"method":"POST","path":"/groups/{group_id}/participants/reject","body":"json"},
  'groups.removeParticipants': {"method":"POST","path":"/groups/{group_id}/participants/remove","body":"json"},
  'groups.participantRequests': {"method":"GET","path":"/groups/{group_id}/participants/requests"},
  'communities.announcement': {"method":"GET","path":"/communities/{community_id}/announcement"},
  'communities.create': {"method":"POST","path":"/communities","body":"json"},
  'communities.list': {"method":"GET","path":"/communities","query":["page","page_size"]},
  'communities.deactivate': {"method":"DELETE","path":"/communities/{community_id}"},
  'communities.metadata': {"method":"GET","path":"/communities/{community_id}"},
  'communities.updateDescription': {"method":"PUT","path":"/communities/{community_id}/description","body":"json"},
  'communities.updateName': {"method":"PUT","path":"/communities/{community_id}/name","body":"json"},
  'communities.updatePhoto': {"method":"PUT","path":"/communities/{community_id}/photo","body":"json"},
  'communities.updateSettings': {"method":"PUT","path":"/communities/{community_id}/settings","body":"json"},
  'communities.addParticipants': {"method":"POST","path":"/communities/{community_id}/participants/add","body":"json"},
  'communities.demoteParticipants': {"method":"POST","path":"/communities/{community_id}/participants/demote","body":"json"},
  'communities.invitationLink': {"method":"GET","path":"/communities/{community_id}/invitation-link"},
  'communities.resetInvitationLink': {"method":"POST","path":"/communities/{community_id}/invitation-link"},
  'communities.linkGroups': {"method":"POST","path":"/communities/{community_id}/groups/link","body":"json"},
  'communities.promoteParticipants': {"method":"POST","path":"/communities/{community_id}/participants/promote","body":"json"},
  'communities.removeParticipants': {"method":"POST","path":"/communities/{community_id}/participants/remove","body":"json"},
  'communities.unlinkGroups': {"method":"POST","path":"/communities/{community_id}/groups/unlink","body":"json"},
  'newsletters.invitationMetadata': {"method":"GET","path":"/newsletters/invitation","query":["url"]},
  'newsletters.list': {"method":"GET","path":"/newsletters","query":["page","page_size"]},
  'newsletters.create': {"method":"POST","path":"/newsletters","body":"json"},
  'newsletters.search': {"method":"POST","path":"/newsletters/search","body":"json"},
  'newsletters.follow': {"method":"POST","path":"/newsletters/{newsletter_id}/follow"},
  'newsletters.messages': {"method":"GET","path":"/newsletters/{newsletter_id}/messages","query":["limit","cursor"]},
  'newsletters.metadata': {"method":"GET","path":"/newsletters/{newsletter_id}"},
  'newsletters.delete': {"method":"DELETE","path":"/newsletters/{newsletter_id}"},
  'newsletters.mute': {"method":"POST","path":"/newsletters/{newsletter_id}/mute"},
  'newsletters.removePicture': {"method":"DELETE","path":"/newsletters/{newsletter_id}/picture"},
  'newsletters.updatePicture': {"method":"PUT","path":"/newsletters/{newsletter_id}/picture","body":"json"},
  'newsletters.unfollow': {"method":"POST","path":"/newsletters/{newsletter_id}/unfollow"},
  'newsletters.unmute': {"method":"POST","path":"/newsletters/{newsletter_id}/unmute"},
  'newsletters.updateDescription': {"method":"PUT","path":"/newsletters/{newsletter_id}/description","body":"json"},
  'newsletters.updateName': {"method":"PUT","path":"/newsletters/{newsletter_id}/name","body":"json"},
  'newsletters.updateSettings': {"method":"PUT","path":"/newsletters/{newsletter_id}/settings","body":"json"},
  'newsletters.acceptAdminInvite': {"method":"POST","path":"/newsletters/{newsletter_id}/admin-invite/accept"},
  'newsletters.removeAdmin': {"method":"POST","path":"/newsletters/{newsletter_id}/admins/remove","body":"json"},
  'newsletters.revokeAdminInvite': {"method":"POST","path":"/newsletters/{newsletter_id}/admin-invite/revoke","body":"json"},
  'newsletters.transferOwnership': {"method":"POST","path":"/newsletters/{newsletter_id}/transfer-ownership","body":"json"},
  'business.categories': {"method":"GET","path":"/business/categories","query":["q"]},
  'business.profile': {"method":"GET","path":"/business/profile","query":["phone"]},
  'business.updateProfile': {"method":"PUT","path":"/business/profile","body":"json"},
  'business.updateHours': {"method":"PUT","path":"/business/hours","body":"json"},
  'business.createProduct': {"method":"POST","path":"/business/products","body":"json"},
  'business.products': {"method":"GET","path":"/business/products","query":["phone","limit","next_cursor"]},
  'business.deleteProduct': {"method":"DELETE","path":"/business/products/{product_id}"},
  'business.product': {"method":"GET","path":"/business/products/{product_id}","query":["phone"]},
  'business.updateProduct': {"method":"PUT","path":"/business/products/{product_id}","body":"json"},
  'business.order': {"method":"GET","path":"/business/orders/{order_id}","query":["order_token"]},
  'business.updateCatalogConfig': {"method":"PUT","path":"/business/catalog","body":"json"},
  'business.collectionProducts': {"method":"GET","path":"/business/collections/{collection_id}/products","query":["phone","limit","next_cursor"]},
  'business.collections': {"method":"GET","path":"/business/collections","query":["phone","limit","next_cursor"]},
  'business.createCollection': {"method":"POST","path":"/business/collections","body":"json"},
  'business.deleteCollection': {"method":"DELETE","path":"/business/collections/{collection_id}"},
  'business.updateCollection': {"method":"PUT","path":"/business/collections/{collection_id}","body":"json"},
  'queue.clear': {"method":"DELETE","path":"/queue","query":["phone"]},
  'queue.list': {"method":"GET","path":"/queue","query":["page","page_size","phone"]},
  'queue.remove': {"method":"DELETE","path":"/queue/{svc_id}"},
  'queue.sendSafety': {"method":"GET","path":"/send-safety"},
  'privacy.about': {"method":"PUT","path":"/privacy/about","body":"json"},
  'privacy.disallowedContacts': {"method":"GET","path":"/privacy/disallowed-contacts","query":["type"]},
  'privacy.get': {"method":"GET","path":"/privacy"},
  'privacy.groupsAdd': {"method":"PUT","path":"/privacy/groups-add","body":"json"},
  'privacy.lastSeen': {"method":"PUT","path":"/privacy/last-seen","body":"json"},
  'privacy.messagesDuration': {"method":"PUT","path":"/privacy/messages-duration","body":"json"},
  'privacy.online': {"method":"PUT","path":"/privacy/online","body":"json"},
  'privacy.profilePhoto': {"method":"PUT","path":"/privacy/profile-photo","body":"json"},
  'privacy.readReceipts': {"method":"PUT","path":"/privacy/read-receipts","body":"json"},
  'profile.get': {"method":"GET","path":"/profile"},
  'profile.removePicture': {"method":"DELETE","path":"/profile/picture"},
  'profile.updatePicture': {"method":"PUT","path":"/profile/picture","body":"json"},
  'profile.updateAbout': {"method":"PUT","path":"/profile/about","body":"json"},
  'profile.updateName': {"method":"PUT","path":"/profile/name","body":"json"},
  'contacts.add': {"method":"POST","path":"/contacts","body":"json"},
  'contacts.list': {"method":"GET","path":"/contacts","query":["page","page_size"]},
  'contacts.block': {"method":"POST","path":"/contacts/{phone}/block"},
  'contacts.blocked': {"method":"GET","path":"/contacts/blocked"},
  'contacts.exists': {"method":"GET","path":"/phone-exists/{phone}"},
  'contacts.existsBatch': {"method":"POST","path":"/phone-exists-batch","body":"json"},
  'contacts.get': {"method":"GET","path":"/contacts/{phone}"},
  'contacts.picture': {"method":"GET","path":"/contacts/{phone}/picture","query":["size"]},
  'contacts.remove': {"method":"POST","path":"/contacts/remove","body":"json"},
  'contacts.report': {"method":"POST","path":"/contacts/{phone}/report","body":"json"},
  'contacts.unblock': {"method":"POST","path":"/contacts/{phone}/unblock"},
  'chats.archive': {"method":"PUT","path":"/chats/{phone}/archive","body":"json"},
  'chats.clear': {"method":"POST","path":"/chats/{phone}/clear","body":"json"},
  'chats.expiration': {"method":"PUT","path":"/chats/{phone}/expiration","body":"json"},
  'chats.get': {"method":"GET","path":"/chats/{phone}"},
  'chats.delete': {"method":"DELETE","path":"/chats/{phone}"},
  'chats.list': {"method":"GET","path":"/chats","query":["page","page_size"]},
  'chats.mute': {"method":"PUT","path":"/chats/{phone}/mute","body":"json"},
  'chats.pin': {"method":"PUT","path":"/chats/{phone}/pin","body":"json"},
  'chats.read': {"method":"PUT","path":"/chats/{phone}/read","body":"json"},
  'chats.star': {"method":"PUT","path":"/chats/{phone}/messages/{message_id}/star","body":"json"},
  'labels.addToChat': {"method":"PUT","path":"/chats/{phone}/labels/{label_id}"},
  'labels.removeFromChat': {"method":"DELETE","path":"/chats/{phone}/labels/{label_id}"},
  'labels.colors': {"method":"GET","path":"/labels/colors"},
  'labels.create': {"method":"POST","path":"/labels","body":"json"},
  'labels.list': {"method":"GET","path":"/labels"},
  'labels.delete': {"method":"DELETE","path":"/labels/{label_id}"},
  'labels.update': {"method":"PUT","path":"/labels/{label_id}","body":"json"},
  'webhooks.rotateSecret': {"method":"POST","path":"/webhooks/secret","body":"json"},
  'webhooks.test': {"method":"POST","path":"/webhooks/{type}/test"},
  'webhooks.update': {"method":"PUT","path":"/webhooks","body":"json"},
  'webhooks.updateType': {"method":"PUT","path":"/webhooks/{type}","body":"json"},
}

export interface InstanceGroups {
  instance: {
    /**
     * Read the connected account
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    device: Method<'instance.device'>
    /**
     * Log out and remove the linked device
     *
     * Waiting messages stay in the queue. Pair the instance again to continue. An instance that is not connected, for example because it is paused, cannot tell the network, so the device must also be removed on the phone, under Linked devices.
     *
     * Available in every state of the instance.
     */
    disconnect: Method<'instance.disconnect'>
    /**
     * Read the instance itself
     *
     * Answered by the service itself, in every state of the instance.
     */
    me: Method<'instance.me'>
    /**
     * Close the session and keep it closed
     *
     * The status is `stopped` with the reason `paused`, also after a restart of the service, until `POST /resume` or `POST /restart`. The device stays linked, and messages that are sent meanwhile wait in the queue, without becoming older (`queue_max_age_hours`). What arrives meanwhile is received afterwards. The phone logs out a device that was not online for about 14 days. Refused with `not_allowed` if no phone is linked, or if the session has stopped for another reason.
     *
     * Available in every state of the instance.
     */
    pause: Method<'instance.pause'>
    /**
     * Get a pairing code to type on the phone
     *
     * The code has eight characters. The status must be `qr`. A second request for the same number within 60 s returns the same code. The code is valid for three minutes.
     *
     * Available in every state of the instance.
     */
    phoneCode: Method<'instance.phoneCode'>
    /**
     * Get the QR code for pairing, as a data URL
     *
     * Starts the session if it is not running and waits up to 8 s for the first QR code. Poll about every 10 s while the status is `qr`. `expires_at` is present with a QR.
     *
     * Available in every state of the instance.
     */
    qrCode: Method<'instance.qrCode'>
    /**
     * Get the QR code for pairing, as an image
     *
     * Returns a 512x512 PNG. Does not start a session.
     *
     * Available in every state of the instance.
     */
    qrCodeImage: Method<'instance.qrCodeImage'>
    /**
     * Pair in a browser
     *
     * A page that starts the session, shows and renews the QR code, offers a pairing code as an alternative, and ends with a green tick. It names the instance and the number that was linked last, and is in English, Portuguese or Spanish, as the browser wishes. It loads nothing from other hosts and sends no referrer. A browser that has a wrong token gets a page, with the same status.
     *
     * Answered by the service itself, in every state of the instance.
     */
    qrCodePage: Method<'instance.qrCodePage'>
    /**
     * Rename the instance
     *
     * Answered by the service itself, in every state of the instance.
     */
    rename: Method<'instance.rename'>
    /**
     * Close the session and open it again
     *
     * Does not log out. Starts the session if it is not running, which also ends a pause. A second call joins the restart in progress. An instance that was moved to another program (`instance export`) is not started.
     *
     * Available in every state of the instance.
     */
    restart: Method<'instance.restart'>
    /**
     * Open the session of a paused instance again
     *
     * Changes nothing if the session is running. Refused with `not_allowed` if the session is not running for another reason.
     *
     * Available in every state of the instance.
     */
    resume: Method<'instance.resume'>
    /**
     * Read the state of the instance
     *
     * If the engine does not answer within 2 s, this returns the last known state.
     *
     * Available in every state of the instance.
     */
    status: Method<'instance.status'>
    /**
     * Change settings
     *
     * Only the given fields change; at least one. `delay_message_min_ms` may not be above `delay_message_max_ms` after the change. Takes effect for the next queued message. A change of `proxy_url` restarts the session.
     *
     * Answered by the service itself, in every state of the instance.
     */
    updateSettings: Method<'instance.updateSettings'>
    /**
     * Read the state of the linking with a passkey
     *
     * Some accounts link a device only with their passkey. The status is `connecting`, with the reason `passkey_required` after the phone has accepted the code and `passkey_confirmation` after the network has accepted the assertion. Pass `public_key` to `PublicKeyCredential.parseRequestOptionsFromJSON` and `navigator.credentials.get` on `https://web.whatsapp.com`, and the result to `POST /passkey/response`. Answers in every status; poll it while the status is `connecting`.
     *
     * Answered by the service itself, in every state of the instance.
     */
    passkey: Method<'instance.passkey'>
    /**
     * Confirm or deny that the phone shows the same code
     *
     * Only while `needs_confirmation` is true. `false` ends the linking: the status becomes `logged_out`.
     *
     * Available in every state of the instance.
     */
    passkeyConfirm: Method<'instance.passkeyConfirm'>
    /**
     * Submit the assertion of the browser
     *
     * An assertion that cannot be right is refused with 400 before anything is sent; after ten of them the pairing has to be restarted. Each one that is sent uses one of three attempts: when the network refuses it (502, with its code in `details.network_code`) or does not answer (504), `GET /passkey` has another `public_key` to sign. The body may have at most 16 KB.
     *
     * Available in every state of the instance.
     */
    passkeyResponse: Method<'instance.passkeyResponse'>
    /**
     * Let a browser sign without the credentials of the instance
     *
     * For a browser extension. `open_url` opens WhatsApp Web, with the address of this service and the ticket in the fragment, which browsers send to no server. With the header `X-Passkey-Ticket` and no other credential, `GET {base}/passkey` answers `{ name, public_key, expires_at }` (the `name` is empty for a ticket of a connect link) and `POST {base}/passkey` takes `{ assertion }` like `POST /passkey/response`; both allow every origin. A ticket expires after ten minutes, after an accepted assertion, after three refused ones, and when the next ticket is made.
     *
     * Answered by the service itself, in every state of the instance.
     */
    passkeyTicket: Method<'instance.passkeyTicket'>
  }
  send: {
    /**
     * Send a text
     *
     * Goes to people, groups, channels and status. The message is queued; its outcome is a `delivery` event. With `edit_message_id` an own message of the last 15 minutes gets this text instead (or this caption, if it was media).
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendText: SendMethod<'send.sendText'>
    /**
     * Send a voice note or an audio file
     *
     * Goes to people, groups, channels and status. Any audio format is accepted, and also a video, of which the audio is sent. If a converter is installed, a voice note is sent as ogg/opus, and an audio file that the apps do not play (wav, flac, ALAC and others) as AAC. The format is detected from the content, never from a name or a declared type. The message is queued; its outcome is a `delivery` event.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendAudio: SendMethod<'send.sendAudio'>
    /**
     * Send a file
     *
     * Goes to people, groups and channels. Any format is sent unchanged; the extension decides the type. With `edit_message_id` the caption of an own document is replaced instead. The message is queued; its outcome is a `delivery` event.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendDocument: SendMethod<'send.sendDocument'>
    /**
     * Send a GIF
     *
     * Goes to people, groups and channels. Apps play an mp4 without sound; a gif is converted. The format is detected from the content, never from a name or a declared type. The message is queued; its outcome is a `delivery` event.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendGif: SendMethod<'send.sendGif'>
    /**
     * Send an image
     *
     * Goes to people, groups, channels and status. jpeg and png are sent unchanged; webp, gif, heic, bmp and tiff are converted. The format is detected from the content, never from a name or a declared type. The message is queued; its outcome is a `delivery` event.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendImage: SendMethod<'send.sendImage'>
    /**
     * Send a round video note
     *
     * Goes to people and groups. mp4 is sent unchanged, other videos are converted. The format is detected from the content, never from a name or a declared type. The message is queued; its outcome is a `delivery` event.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendPtv: SendMethod<'send.sendPtv'>
    /**
     * Send a sticker
     *
     * Goes to people, groups and channels. webp is sent unchanged; other pictures and videos are converted. The first 10 s of an animated picture (webp, gif, apng) or a video become the sticker; its frame rate, quality and detail are reduced until it has at most 500 kB. The format is detected from the content, never from a name or a declared type. The message is queued; its outcome is a `delivery` event.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendSticker: SendMethod<'send.sendSticker'>
    /**
     * Send a video
     *
     * Goes to people, groups, channels and status. mp4 (H.264, AAC) and 3gp are sent unchanged; mov, mkv, webm and avi are converted. The format is detected from the content, never from a name or a declared type. The message is queued; its outcome is a `delivery` event.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendVideo: SendMethod<'send.sendVideo'>
    /**
     * Send a contact card
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendContact: SendMethod<'send.sendContact'>
    /**
     * Send several contact cards
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendContacts: SendMethod<'send.sendContacts'>
    /**
     * Send a link with a card
     *
     * If the text does not contain the URL, the URL is appended on a new line. If the picture cannot be downloaded, the message is sent without it.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendLink: SendMethod<'send.sendLink'>
    /**
     * Send a place
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendLocation: SendMethod<'send.sendLocation'>
    /**
     * Invite a person to administer a channel
     *
     * The invitation is first registered with the network. If the network refuses it, nothing is sent.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendNewsletterAdminInvite: SendMethod<'send.sendNewsletterAdminInvite'>
    /**
     * Delete a message
     *
     * Own messages are deleted for everyone, and so are messages of others in groups that this account administers. A message that a person sent in a 1:1 chat is only deleted on this account. The network ignores deletions after about 60 hours.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    deleteMessage: SendMethod<'send.deleteMessage'>
    /**
     * Forward a message
     *
     * View-once and live messages, payments, reactions and votes cannot be forwarded: `not_allowed`. People in `mentions` are mentioned whether the text names them or not.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    forwardMessage: SendMethod<'send.forwardMessage'>
    /**
     * Pin or unpin a message for everyone
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    pinMessage: SendMethod<'send.pinMessage'>
    /**
     * Remove the own reaction
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    removeReaction: SendMethod<'send.removeReaction'>
    /**
     * React to a message
     *
     * A new reaction replaces the previous one. A channel post must be stored by the service, because its number is needed.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendReaction: SendMethod<'send.sendReaction'>
    /**
     * Send a poll
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendPoll: SendMethod<'send.sendPoll'>
    /**
     * Vote in a poll
     *
     * Each vote replaces the previous one. An unknown option, or too many options, fails with `send_failed`.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendPollVote: SendMethod<'send.sendPollVote'>
    /**
     * Send reply buttons
     *
     * Sends a text, with an optional picture or video above it, and buttons. Pressing a button sends an answer. Best effort: only the phone apps show this, and it may stop working without notice.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendButtonList: SendMethod<'send.sendButtonList'>
    /**
     * Send a code with a button that copies it
     *
     * Best effort: only the phone apps show this, and it may stop working without notice.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendButtonOtp: SendMethod<'send.sendButtonOtp'>
    /**
     * Send a Pix key with a button that copies it
     *
     * Sends the card of the Brazilian instant payment. In web clients the chat does not move to the top for it. Best effort: only the phone apps show this, and it may stop working without notice.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendButtonPix: SendMethod<'send.sendButtonPix'>
    /**
     * Send action buttons
     *
     * Sends buttons that answer, open a URL, call a number or copy a text. Phones collapse more than 3 buttons; web clients cannot show `reply` together with `url` or `call`. Best effort: only the phone apps show this, and it may stop working without notice.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendButtons: SendMethod<'send.sendButtons'>
    /**
     * Send cards to swipe through
     *
     * Each card has a picture, a text and up to 3 buttons. If one picture cannot be prepared, the message fails. Best effort: only the phone apps show this, and it may stop working without notice.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendCarousel: SendMethod<'send.sendCarousel'>
    /**
     * Send a list of options
     *
     * Sends a button that opens a list, from which a person can choose one row. Groups often do not show it. Best effort: only the phone apps show this, and it may stop working without notice.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendOptionList: SendMethod<'send.sendOptionList'>
    /**
     * Send the status of an order
     *
     * Only useful after an order that was sent with `payment_settings`. Best effort.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    orderStatusUpdate: SendMethod<'send.orderStatusUpdate'>
    /**
     * Send a link to a catalogue
     *
     * Sends a text with the card of a catalogue. This works for any number, even if it has no catalogue.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendCatalog: SendMethod<'send.sendCatalog'>
    /**
     * Send an order
     *
     * Without `payment_settings` this sends an order card. With the `token` of an existing order on the network, the card opens that order; without it, the card shows only count and total. With `payment_settings` this sends a bill to review and pay, for business accounts. Best effort.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendOrder: SendMethod<'send.sendOrder'>
    /**
     * Send a product of a catalogue
     *
     * Name, price and picture are read from the catalogue when the message is sent. Best effort.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendProduct: SendMethod<'send.sendProduct'>
    /**
     * Answer a status with a GIF
     *
     * Goes to the author of a status that was received since the last restart. The message is queued; its outcome is a `delivery` event.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    replyStatusGif: SendMethod<'send.replyStatusGif'>
    /**
     * Answer a status with a sticker
     *
     * Goes to the author of a status that was received since the last restart. The message is queued; its outcome is a `delivery` event.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    replyStatusSticker: SendMethod<'send.replyStatusSticker'>
    /**
     * Answer a status with a text
     *
     * Goes to the author of a status that was received since the last restart. The message is queued; its outcome is a `delivery` event.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    replyStatusText: SendMethod<'send.replyStatusText'>
    /**
     * Post an image as status
     *
     * The audience that is set in the phone app sees the post for 24 h. The post is queued; its outcome is a `delivery` event.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendImageStatus: SendMethod<'send.sendImageStatus'>
    /**
     * Post a text as status
     *
     * The audience that is set in the phone app sees the post for 24 h. The post is queued; its outcome is a `delivery` event.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendTextStatus: SendMethod<'send.sendTextStatus'>
    /**
     * Post a video as status
     *
     * The audience that is set in the phone app sees the post for 24 h. The post is queued; its outcome is a `delivery` event. Apps truncate long clips (30 to 60 s).
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendVideoStatus: SendMethod<'send.sendVideoStatus'>
    /**
     * Change a calendar event
     *
     * Give the whole event: omitted fields are removed from it. Only the creator can change it.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendEditEvent: SendMethod<'send.sendEditEvent'>
    /**
     * Send a calendar event
     *
     * Goes to groups, and to people whose app shows events.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendEvent: SendMethod<'send.sendEvent'>
    /**
     * Answer a calendar event
     *
     * Own events cannot be answered, because the creator always attends.
     *
     * Queued operation: the answer comes as soon as the message is on disk. The outcome is a `delivery` event, or this answer with `Prefer: wait`.
     */
    sendEventResponse: SendMethod<'send.sendEventResponse'>
  }
  messages: {
    /**
     * Mark a received message as read
     *
     * If read receipts are disabled in the privacy settings, only the devices of this account see the mark.
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    readMessage: Method<'messages.readMessage'>
    /**
     * Show a typing indicator in a chat, or show the account as available
     *
     * The indicator in a chat expires after some seconds, so repeat it. `available` silences notifications on the phone until `unavailable`.
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    sendPresence: Method<'messages.sendPresence'>
  }
  groups: {
    /**
     * Join a group by its invitation link
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    acceptInvitation: Method<'groups.acceptInvitation'>
    /**
     * Read the invitation link of a group
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    invitationLink: Method<'groups.invitationLink'>
    /**
     * Revoke the invitation link of a group and create a new one
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    resetInvitationLink: Method<'groups.resetInvitationLink'>
    /**
     * Read the group to which an invitation link leads
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    invitationMetadata: Method<'groups.invitationMetadata'>
    /**
     * Create a group
     *
     * Each person has their own result. People who cannot be added directly get an invitation through the queue, each with its own `delivery` event.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 45 s.
     */
    create: Method<'groups.create'>
    /**
     * List the groups of the account
     *
     * Ordered by last activity, newest first. Communities are not listed, but their groups are.
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 45 s.
     */
    list: Method<'groups.list'>
    /**
     * Leave a group
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    leave: Method<'groups.leave'>
    /**
     * Read a group without its invitation link
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    lightMetadata: Method<'groups.lightMetadata'>
    /**
     * Read a group
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    metadata: Method<'groups.metadata'>
    /**
     * Remove the picture of a group
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    removePhoto: Method<'groups.removePhoto'>
    /**
     * Change the picture of a group
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 45 s.
     */
    updatePhoto: Method<'groups.updatePhoto'>
    /**
     * Change or clear the description of a group
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    updateDescription: Method<'groups.updateDescription'>
    /**
     * Rename a group
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    updateName: Method<'groups.updateName'>
    /**
     * Change the permissions of a group
     *
     * Only the given fields are changed, in this order. If one fails, the earlier changes stay, and `details.applied` of the error lists them.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    updateSettings: Method<'groups.updateSettings'>
    /**
     * Add people to a group
     *
     * A refused person is not an error: each person has their own result, and `value` is true when all succeeded. People who cannot be added directly get an invitation through the queue, each with its own `delivery` event.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 45 s.
     */
    addParticipants: Method<'groups.addParticipants'>
    /**
     * Accept requests to join a group
     *
     * A refused person is not an error: each person has their own result, and `value` is true when all succeeded.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 45 s.
     */
    approveParticipants: Method<'groups.approveParticipants'>
    /**
     * Take the administrator role from people
     *
     * A refused person is not an error: each person has their own result, and `value` is true when all succeeded.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 45 s.
     */
    demoteParticipants: Method<'groups.demoteParticipants'>
    /**
     * Make people administrators of a group
     *
     * A refused person is not an error: each person has their own result, and `value` is true when all succeeded.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 45 s.
     */
    promoteParticipants: Method<'groups.promoteParticipants'>
    /**
     * Refuse requests to join a group
     *
     * A refused person is not an error: each person has their own result, and `value` is true when all succeeded.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 45 s.
     */
    rejectParticipants: Method<'groups.rejectParticipants'>
    /**
     * Remove people from a group
     *
     * A refused person is not an error: each person has their own result, and `value` is true when all succeeded.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 45 s.
     */
    removeParticipants: Method<'groups.removeParticipants'>
    /**
     * List the requests to join a group
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    participantRequests: Method<'groups.participantRequests'>
  }
  communities: {
    /**
     * Read the announcement group of a community
     *
     * To send to the community, send to the `phone` of this group.
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    announcement: Method<'communities.announcement'>
    /**
     * Create a community
     *
     * An announcement group and a general group are created with it. At first, only administrators may add groups.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 45 s.
     */
    create: Method<'communities.create'>
    /**
     * List the communities of the account
     *
     * Newest first, without their groups.
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 45 s.
     */
    list: Method<'communities.list'>
    /**
     * Deactivate a community; its groups continue without it
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    deactivate: Method<'communities.deactivate'>
    /**
     * Read a community and its groups
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    metadata: Method<'communities.metadata'>
    /**
     * Change or clear the description of a community
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    updateDescription: Method<'communities.updateDescription'>
    /**
     * Rename a community
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    updateName: Method<'communities.updateName'>
    /**
     * Change the picture of a community
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 45 s.
     */
    updatePhoto: Method<'communities.updatePhoto'>
    /**
     * Change who may add groups to a community
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    updateSettings: Method<'communities.updateSettings'>
    /**
     * Add people to a community
     *
     * A refused person is not an error: each person has their own result, and `value` is true when all succeeded.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 45 s.
     */
    addParticipants: Method<'communities.addParticipants'>
    /**
     * Take the administrator role of a community from people
     *
     * A refused person is not an error: each person has their own result, and `value` is true when all succeeded.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 45 s.
     */
    demoteParticipants: Method<'communities.demoteParticipants'>
    /**
     * Read the invitation link of a community
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    invitationLink: Method<'communities.invitationLink'>
    /**
     * Revoke the invitation link of a community and create a new one
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    resetInvitationLink: Method<'communities.resetInvitationLink'>
    /**
     * Put groups into a community
     *
     * A refused group is not an error: each group has its own result, and `value` is true when all succeeded.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    linkGroups: Method<'communities.linkGroups'>
    /**
     * Make people administrators of a community
     *
     * A refused person is not an error: each person has their own result, and `value` is true when all succeeded.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 45 s.
     */
    promoteParticipants: Method<'communities.promoteParticipants'>
    /**
     * Remove people from a community and all its groups
     *
     * A refused person is not an error: each person has their own result, and `value` is true when all succeeded.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 45 s.
     */
    removeParticipants: Method<'communities.removeParticipants'>
    /**
     * Take groups out of a community
     *
     * A refused group is not an error: each group has its own result, and `value` is true when all succeeded.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    unlinkGroups: Method<'communities.unlinkGroups'>
  }
  newsletters: {
    /**
     * Read the channel of a link
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    invitationMetadata: Method<'newsletters.invitationMetadata'>
    /**
     * List the channels that the account owns, administers and follows
     *
     * Owned ones first.
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    list: Method<'newsletters.list'>
    /**
     * Create a channel
     *
     * Accepts the network's terms for channel creators.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 45 s.
     */
    create: Method<'newsletters.create'>
    /**
     * Search the directory of channels
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    search: Method<'newsletters.search'>
    /**
     * Follow a channel
     *
     * Accepts the network's terms for channels.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    follow: Method<'newsletters.follow'>
    /**
     * Read the posts of a channel
     *
     * Newest first. Deleted posts are omitted, so a page may have fewer posts than `limit`. After reading a post, you can react to it and forward it by its `message_id`.
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    messages: Method<'newsletters.messages'>
    /**
     * Read a channel
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    metadata: Method<'newsletters.metadata'>
    /**
     * Delete a channel
     *
     * Only the owner can delete the channel. This cannot be undone.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    delete: Method<'newsletters.delete'>
    /**
     * Mute a channel
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    mute: Method<'newsletters.mute'>
    /**
     * Remove the picture of a channel
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    removePicture: Method<'newsletters.removePicture'>
    /**
     * Change the picture of a channel
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 45 s.
     */
    updatePicture: Method<'newsletters.updatePicture'>
    /**
     * Unfollow a channel
     *
     * The owner cannot unfollow the channel (`not_allowed`).
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    unfollow: Method<'newsletters.unfollow'>
    /**
     * Unmute a channel
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    unmute: Method<'newsletters.unmute'>
    /**
     * Change or clear the description of a channel
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    updateDescription: Method<'newsletters.updateDescription'>
    /**
     * Rename a channel
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    updateName: Method<'newsletters.updateName'>
    /**
     * Choose which reactions a channel accepts
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    updateSettings: Method<'newsletters.updateSettings'>
    /**
     * Accept an invitation to administer a channel
     *
     * Accepts the network's terms for channel administrators. Answers `newsletter_not_found` if there is no invitation.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    acceptAdminInvite: Method<'newsletters.acceptAdminInvite'>
    /**
     * Remove an administrator of a channel
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    removeAdmin: Method<'newsletters.removeAdmin'>
    /**
     * Revoke an invitation to administer a channel
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    revokeAdminInvite: Method<'newsletters.revokeAdminInvite'>
    /**
     * Transfer the ownership of a channel
     *
     * The new owner must be an administrator of the channel. If the transfer succeeds but giving up the own role fails, `details.ownership_transferred` of the error is true.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    transferOwnership: Method<'newsletters.transferOwnership'>
  }
  business: {
    /**
     * List the categories that a business can choose
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    categories: Method<'business.categories'>
    /**
     * Read the profile of a business
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    profile: Method<'business.profile'>
    /**
     * Change the profile of the business
     *
     * Only the given fields are changed. An empty text or an empty list of websites clears the field.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    updateProfile: Method<'business.updateProfile'>
    /**
     * Change the opening hours of the business
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    updateHours: Method<'business.updateHours'>
    /**
     * Add a product to the catalog
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 45 s.
     */
    createProduct: Method<'business.createProduct'>
    /**
     * Read a catalog
     *
     * An account without a catalog has no products.
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 45 s.
     */
    products: Method<'business.products'>
    /**
     * Remove a product from the catalog
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    deleteProduct: Method<'business.deleteProduct'>
    /**
     * Read a product
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 45 s.
     */
    product: Method<'business.product'>
    /**
     * Change a product of the catalog
     *
     * Only the given fields are changed; `images` replaces all pictures.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 45 s.
     */
    updateProduct: Method<'business.updateProduct'>
    /**
     * Read an order
     *
     * Reads an order that was sent to or by this account.
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 45 s.
     */
    order: Method<'business.order'>
    /**
     * Enable or disable the cart of the catalog
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    updateCatalogConfig: Method<'business.updateCatalogConfig'>
    /**
     * List the products of a collection
     *
     * Answers `product_not_found` when the collection does not exist.
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 45 s.
     */
    collectionProducts: Method<'business.collectionProducts'>
    /**
     * List the collections of a catalog
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 45 s.
     */
    collections: Method<'business.collections'>
    /**
     * Create a collection of products
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    createCollection: Method<'business.createCollection'>
    /**
     * Delete a collection
     *
     * Its products stay in the catalog.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    deleteCollection: Method<'business.deleteCollection'>
    /**
     * Change a collection
     *
     * The `id` of the collection may change; the answer has the new one.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    updateCollection: Method<'business.updateCollection'>
  }
  queue: {
    /**
     * Remove every waiting message
     *
     * The message in flight is not removed. Removed messages create no `delivery` event.
     *
     * Available in every state of the instance.
     */
    clear: Method<'queue.clear'>
    /**
     * List the messages that wait to be sent
     *
     * Available in every state of the instance.
     */
    list: Method<'queue.list'>
    /**
     * Remove one waiting message
     *
     * Answers `not_found` if the message is unknown, already sent, or in flight.
     *
     * Available in every state of the instance.
     */
    remove: Method<'queue.remove'>
    /**
     * Read the use of the budgets of send safety
     *
     * The settings `first_contacts_per_hour`, `first_contacts_per_day`, `first_contacts_warm_up`, `quiet_hours` and `pause_after_unanswered` hold messages in the queue. This says how much of them is used. A first contact is the first message between the account and a person; groups, channels and the status are none.
     *
     * Available in every state of the instance.
     */
    sendSafety: Method<'queue.sendSafety'>
  }
  privacy: {
    /**
     * Choose who sees the about text
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    about: Method<'privacy.about'>
    /**
     * List the people that a setting excludes
     *
     * Empty when the setting is not `contact_blacklist`.
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    disallowedContacts: Method<'privacy.disallowedContacts'>
    /**
     * Read the privacy settings of the account
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    get: Method<'privacy.get'>
    /**
     * Choose who may add to groups
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    groupsAdd: Method<'privacy.groupsAdd'>
    /**
     * Choose who sees when the account was last seen
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    lastSeen: Method<'privacy.lastSeen'>
    /**
     * Set the message timer of new 1:1 chats
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    messagesDuration: Method<'privacy.messagesDuration'>
    /**
     * Choose who sees that the account is online
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    online: Method<'privacy.online'>
    /**
     * Choose who sees the picture
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    profilePhoto: Method<'privacy.profilePhoto'>
    /**
     * Enable or disable read receipts
     *
     * Without read receipts, others do not see what the account has read, and the account does not see it of others. Groups always have them.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    readReceipts: Method<'privacy.readReceipts'>
  }
  profile: {
    /**
     * Read the profile of the account, as others see it
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    get: Method<'profile.get'>
    /**
     * Remove the picture of the account
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    removePicture: Method<'profile.removePicture'>
    /**
     * Change the picture of the account
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 45 s.
     */
    updatePicture: Method<'profile.updatePicture'>
    /**
     * Change the about text
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    updateAbout: Method<'profile.updateAbout'>
    /**
     * Change the name of the account
     *
     * The name of a business account cannot be changed (`not_allowed`).
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    updateName: Method<'profile.updateName'>
  }
  contacts: {
    /**
     * Save people on the phone under a name
     *
     * People who are already saved are renamed. Works for accounts whose linked devices may edit contacts.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    add: Method<'contacts.add'>
    /**
     * List the people that the account knows, by name and number
     *
     * These are people saved on the phone, people with a chat, and members of groups. The answer comes from stored data; the network is not queried.
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    list: Method<'contacts.list'>
    /**
     * Block a person
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    block: Method<'contacts.block'>
    /**
     * List the blocked people
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    blocked: Method<'contacts.blocked'>
    /**
     * Check whether a number has an account
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    exists: Method<'contacts.exists'>
    /**
     * Check which of up to 50 numbers have an account
     *
     * Uses one query to the network. The answer has one entry per number, in the order of the request.
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 45 s.
     */
    existsBatch: Method<'contacts.existsBatch'>
    /**
     * Read a person
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    get: Method<'contacts.get'>
    /**
     * Get the URL of the picture of a person or group
     *
     * The URL is on the network and expires after about 48 h.
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    picture: Method<'contacts.picture'>
    /**
     * Remove saved people from the phone
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    remove: Method<'contacts.remove'>
    /**
     * Report a person or a group to the network
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    report: Method<'contacts.report'>
    /**
     * Unblock a person
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    unblock: Method<'contacts.unblock'>
  }
  chats: {
    /**
     * Archive or unarchive a chat
     *
     * Archiving a chat unpins it.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    archive: Method<'chats.archive'>
    /**
     * Remove the messages of a chat from the devices of the account
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    clear: Method<'chats.clear'>
    /**
     * Set the message timer of a chat
     *
     * The timer of a chat with a person is sent as a message. While send safety would hold a message to this person, the answer is `held_by_send_safety`: `details.waiting_reason` and `details.send_after` say why and until when, as in `GET /queue`.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    expiration: Method<'chats.expiration'>
    /**
     * Read a chat
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    get: Method<'chats.get'>
    /**
     * Remove a chat from the list
     *
     * In a group the account stays a member.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    delete: Method<'chats.delete'>
    /**
     * List the chats, newest activity first
     *
     * Channels and the status are not included. The answer comes from stored data; the network is not queried.
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    list: Method<'chats.list'>
    /**
     * Mute or unmute a chat
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    mute: Method<'chats.mute'>
    /**
     * Pin or unpin a chat
     *
     * An account has at most 3 pinned chats. Pinning a chat unarchives it.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    pin: Method<'chats.pin'>
    /**
     * Mark a chat as read or unread
     *
     * `true` also sends receipts for the unread messages that came since the last restart.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    read: Method<'chats.read'>
    /**
     * Star or unstar a message
     *
     * Works for messages that arrived since the last restart, and for messages that this service sent since then or within the last day.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    star: Method<'chats.star'>
  }
  labels: {
    /**
     * Add a label to a chat
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    addToChat: Method<'labels.addToChat'>
    /**
     * Remove a label from a chat
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    removeFromChat: Method<'labels.removeFromChat'>
    /**
     * List the colors of labels
     *
     * Answered by the service itself, in every state of the instance.
     */
    colors: Method<'labels.colors'>
    /**
     * Create a label
     *
     * An account has at most 20 labels; one more is refused with `not_allowed`.
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    create: Method<'labels.create'>
    /**
     * List the labels, and the chats that have them
     *
     * At most 20. Lists of chats that the app itself creates are not included.
     *
     * Immediate: asks the account through the network, needs a connected instance and takes at most 20 s.
     */
    list: Method<'labels.list'>
    /**
     * Remove a label
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    delete: Method<'labels.delete'>
    /**
     * Change the name or the color of a label
     *
     * Immediate: changes the account through the network, needs a connected instance and takes at most 20 s.
     */
    update: Method<'labels.update'>
  }
  webhooks: {
    /**
     * Create a new signature secret
     *
     * Every delivery attempt from then on is signed with it, including retries. For `grace_seconds` the previous secret also signs: its signature is a second `v1` in the same header.
     *
     * Answered by the service itself, in every state of the instance.
     */
    rotateSecret: Method<'webhooks.rotateSecret'>
    /**
     * Send a test event to a receiver
     *
     * Sends a sample of the type immediately to its URL, with `test: true` in the body and the headers and signature of a delivery, even while the type is silenced. The response contains the answer of the receiver. The event is not retried and does not appear in the webhook log. Refused with `not_allowed` while the type has no URL.
     *
     * Available in every state of the instance.
     */
    test: Method<'webhooks.test'>
    /**
     * Change webhook URLs and filters
     *
     * Only the given fields change; at least one. Each delivery attempt goes to the URL configured at that moment.
     *
     * Answered by the service itself, in every state of the instance.
     */
    update: Method<'webhooks.update'>
    /**
     * Set the URL of one event type
     *
     * Answered by the service itself, in every state of the instance.
     */
    updateType: Method<'webhooks.updateType'>
  }
}

export const SERVICE_ROUTES: Readonly<Record<string, Route>> = {
  'media.download': {"method":"GET","path":"/media/{link}","answer":"bytes"},
  'account.createInstance': {"method":"POST","path":"/account/instances","body":"json"},
  'account.listInstances': {"method":"GET","path":"/account/instances","query":["status","q","page","page_size"]},
  'account.deleteInstance': {"method":"DELETE","path":"/account/instances/{instance_id}"},
  'account.getInstance': {"method":"GET","path":"/account/instances/{instance_id}"},
  'account.updateInstance': {"method":"PUT","path":"/account/instances/{instance_id}","body":"json"},
  'account.plan': {"method":"GET","path":"/account/plan"},
  'account.rotateToken': {"method":"POST","path":"/account/instances/{instance_id}/rotate-token"},
  'account.createConnectLink': {"method":"POST","path":"/account/connect-links","body":"json"},
  'account.listConnectLinks': {"method":"GET","path":"/account/connect-links","query":["instance_id","page","page_size"]},
  'account.renewConnectLink': {"method":"POST","path":"/account/connect-links/{link_id}/renew","body":"json"},
  'account.revokeConnectLink': {"method":"DELETE","path":"/account/connect-links/{link_id}"},
  'account.usage': {"method":"GET","path":"/account/usage","query":["window","sort","page","page_size"]},
  'account.getWebhooks': {"method":"GET","path":"/account/webhooks"},
  'account.updateWebhooks': {"method":"PUT","path":"/account/webhooks","body":"json"},
  'account.rotateWebhookSecret': {"method":"POST","path":"/account/webhooks/secret","body":"json"},
  'admin.rotateAdminKey': {"method":"POST","path":"/admin/admin-key","body":"json"},
  'admin.updateSubscription': {"method":"PUT","path":"/admin/subscription","body":"json"},
  'admin.updateWorkspace': {"method":"PUT","path":"/admin/workspace","body":"json"},
  'admin.workspace': {"method":"GET","path":"/admin/workspace"},
  'admin.createApiKey': {"method":"POST","path":"/admin/api-keys","body":"json"},
  'admin.listApiKeys': {"method":"GET","path":"/admin/api-keys","query":["page","page_size"]},
  'admin.importClientToken': {"method":"POST","path":"/admin/api-keys/client-token","body":"json"},
  'admin.revokeApiKey': {"method":"DELETE","path":"/admin/api-keys/{key_id}"},
  'admin.updateApiKey': {"method":"PUT","path":"/admin/api-keys/{key_id}","body":"json"},
  'admin.ipAllowlist': {"method":"PUT","path":"/admin/security/ip-allowlist","body":"json"},
  'admin.requireApiKey': {"method":"PUT","path":"/admin/security/require-api-key","body":"json"},
  'admin.requireClientToken': {"method":"PUT","path":"/admin/security/require-client-token","body":"json"},
  'admin.security': {"method":"GET","path":"/admin/security"},
  'admin.exportInstance': {"method":"POST","path":"/admin/instances/{instance_id}/export","body":"json","answer":"bytes"},
  'admin.importInstance': {"method":"POST","path":"/admin/instances/import","query":["from","name","device","stopped","used_since","same_token","dry_run"],"headers":["X-Svc-Passphrase"],"body":"bytes"},
  'admin.resumeInstance': {"method":"POST","path":"/admin/instances/{instance_id}/resume"},
  'admin.listOauthApps': {"method":"GET","path":"/admin/oauth-apps","query":["page","page_size"]},
  'admin.revokeOauthApp': {"method":"DELETE","path":"/admin/oauth-apps/{app_id}"},
  'admin.drainNode': {"method":"POST","path":"/admin/nodes/{node_id}/drain"},
  'admin.listNodes': {"method":"GET","path":"/admin/nodes","query":["page","page_size"]},
  'admin.replayWebhooks': {"method":"POST","path":"/admin/webhook-log/replay","body":"json"},
  'admin.resendWebhook': {"method":"POST","path":"/admin/webhook-log/{event_id}/resend"},
  'admin.resendWebhooks': {"method":"POST","path":"/admin/webhook-log/resend","body":"json"},
  'admin.webhookLog': {"method":"GET","path":"/admin/webhook-log","query":["instance_id","type","status","from","to","q","page","page_size"]},
  'system.docs': {"method":"GET","path":"/docs","answer":"text"},
  'system.live': {"method":"GET","path":"/health/live"},
  'system.metrics': {"method":"GET","path":"/metrics","answer":"text"},
  'system.openapi': {"method":"GET","path":"/openapi.json"},
  'system.ready': {"method":"GET","path":"/health/ready"},
  'system.version': {"method":"GET","path":"/version"},
}

export interface ServiceGroups {
  media: {
    /**
     * Read a received file
     *
     * Serves the link from a media block of `received`, which is valid for 24 hours. The file is downloaded from the network, decrypted and verified while it is sent; if the verification fails, the connection is closed. With `SVC_MEDIA_URL` the link is valid for `SVC_MEDIA_DAYS`.
     *
     * Requires no credential of an account.
     */
    download: Method<'media.download'>
  }
  account: {
    /**
     * Create an instance
     *
     * Takes one slot of the plan and starts the session. The answer waits up to 10 s for the first QR code, so its status is normally `qr`. Omitted webhooks and an omitted `dialect` take the values of the workspace, other omitted settings the defaults.
     *
     * Requires an API key with the scope `instances:write`.
     */
    createInstance: Method<'account.createInstance'>
    /**
     * List the instances of the workspace, newest first
     *
     * Requires an API key with the scope `instances:read`.
     */
    listInstances: Method<'account.listInstances'>
    /**
     * Delete an instance
     *
     * Logs the device out (best effort, 5 s) and erases credentials, queue and undelivered webhooks. The slot is free immediately. An instance that is not connected, for example because it is paused, cannot tell the network, so the device must also be removed on the phone, under Linked devices.
     *
     * Requires an API key with the scope `instances:write`.
     */
    deleteInstance: Method<'account.deleteInstance'>
    /**
     * Read an instance
     *
     * Requires an API key with the scope `instances:read`.
     */
    getInstance: Method<'account.getInstance'>
    /**
     * Change name, webhooks or settings
     *
     * Only the given fields change; at least one.
     *
     * Requires an API key with the scope `instances:write`.
     */
    updateInstance: Method<'account.updateInstance'>
    /**
     * Read the plan, its slots and the instances that use them
     *
     * Requires an API key with the scope `instances:read`.
     */
    plan: Method<'account.plan'>
    /**
     * Create a new instance token
     *
     * The previous token stops working immediately; the session continues.
     *
     * Requires an API key with the scope `instances:write`.
     */
    rotateToken: Method<'account.rotateToken'>
    /**
     * Create a link with which a customer pairs an instance
     *
     * The link opens a page that shows the QR code or a pairing code, asks for a passkey if the account needs one, and ends with a green tick. Its address is the only secret: a person who has it can pair this instance, and can neither read nor send anything. It is shown only here. The link ends when the instance is connected. An instance can have 20 open links. Refused with `not_allowed` while messages wait in the queue of the instance, because they would leave from the number that is paired next, and with `instance_already_connected` while an account is linked. In a frame, the page posts `{ type: 'svc.connect', event, link_id }` to the page around it, if its origin is allowed, with the event `paired` or `ended`.
     *
     * Requires an API key with the scope `instances:write`.
     */
    createConnectLink: Method<'account.createConnectLink'>
    /**
     * List the connect links of the workspace, newest first
     *
     * Ended links are listed for a week. Needs no plan.
     *
     * Requires an API key with the scope `instances:read`.
     */
    listConnectLinks: Method<'account.listConnectLinks'>
    /**
     * Open a connect link for longer, or again
     *
     * The address stays the same. An expired link, and one whose instance was paired and is logged out again, are open from now on. Refused while an account is linked, and while messages wait in the queue of the instance.
     *
     * Requires an API key with the scope `instances:write`.
     */
    renewConnectLink: Method<'account.renewConnectLink'>
    /**
     * Revoke a connect link
     *
     * Its address opens nothing from now on, and it is no longer listed. A pairing that was begun with it ends, with its QR code, phone code and passkey ticket; one that has already succeeded stays. Needs no plan.
     *
     * Requires an API key with the scope `instances:write`.
     */
    revokeConnectLink: Method<'account.revokeConnectLink'>
    /**
     * List the use of resources of each instance, the largest first
     *
     * CPU time, messages and connections of every instance over the last minute, hour or day. Counts are kept in memory: they start at 0 when the service starts. The CPU time of the main thread (requests) and of conversions of media is not part of it.
     *
     * Requires an API key with the scope `instances:read`.
     */
    usage: Method<'account.usage'>
    /**
     * Read the webhooks with which new instances start
     *
     * Includes the secret. An instance may have its own webhooks, which `GET …/me` shows.
     *
     * Requires an API key with the scope `webhooks:read`.
     */
    getWebhooks: Method<'account.getWebhooks'>
    /**
     * Change webhook URLs and filters of every instance
     *
     * Writes only the given fields, at least one, to every instance of the workspace and to the defaults of new instances. All of them change, or none: if a field conflicts with the settings of one instance, the request is refused and the issue names that instance.
     *
     * Requires an API key with the scope `webhooks:write`.
     */
    updateWebhooks: Method<'account.updateWebhooks'>
    /**
     * Create a new signature secret for every instance
     *
     * It replaces the secret of the workspace and of all its instances, also of those that have their own. Every delivery attempt from then on is signed with it, including retries. For `grace_seconds` the previous secret of the instance also signs: its signature is a second `v1` in the same header.
     *
     * Requires an API key with the scope `webhooks:write`.
     */
    rotateWebhookSecret: Method<'account.rotateWebhookSecret'>
  }
  admin: {
    /**
     * Create a new admin key
     *
     * Only this answer has `value`, because the service stores only its hash. The previous key stops working immediately. Refused with `not_allowed` where `SVC_ADMIN_KEY` is set: the environment owns that key.
     *
     * Requires the admin key of the workspace.
     */
    rotateAdminKey: Method<'admin.rotateAdminKey'>
    /**
     * Change the plan: status, dates, slots
     *
     * Only the given fields change; give at least one. With fewer slots than instances, existing instances stay and none can be created. Sessions are never stopped by the subscription.
     *
     * Requires the admin key of the workspace.
     */
    updateSubscription: Method<'admin.updateSubscription'>
    /**
     * Change the name of the workspace, and the dialect of new instances
     *
     * Only the given fields change; at least one. Instances that exist keep their dialect.
     *
     * Requires the admin key of the workspace.
     */
    updateWorkspace: Method<'admin.updateWorkspace'>
    /**
     * Read the workspace of this admin key
     *
     * Requires the admin key of the workspace.
     */
    workspace: Method<'admin.workspace'>
    /**
     * Create an API key
     *
     * Only this answer has `value`, because the service stores only its hash.
     *
     * Requires the admin key of the workspace.
     */
    createApiKey: Method<'admin.createApiKey'>
    /**
     * List the API keys of the workspace, newest first
     *
     * Revoked keys are not listed.
     *
     * Requires the admin key of the workspace.
     */
    listApiKeys: Method<'admin.listApiKeys'>
    /**
     * Import an existing client token
     *
     * The token becomes a key with the scope `instances:operate` that only works in the `Client-Token` header. A workspace has at most one: refused with `not_allowed` while one exists. The service stores only its hash.
     *
     * Requires the admin key of the workspace.
     */
    importClientToken: Method<'admin.importClientToken'>
    /**
     * Revoke an API key
     *
     * Takes effect immediately. Refused with `not_allowed` for the last key with `instances:operate` while a key or `Client-Token` is required.
     *
     * Requires the admin key of the workspace.
     */
    revokeApiKey: Method<'admin.revokeApiKey'>
    /**
     * Change the name or the scopes of an API key
     *
     * Takes effect immediately; the value does not change. Give at least one field. Refused with `not_allowed` when it would take `instances:operate` from the last key that has it while a key or `Client-Token` is required.
     *
     * Requires the admin key of the workspace.
     */
    updateApiKey: Method<'admin.updateApiKey'>
    /**
     * Restrict callers by IP address
     *
     * Applies immediately to instance routes, `/account` and `/mcp`, but not to `/admin`, so that a wrong list can be corrected. An IPv4 caller in IPv6 form counts as IPv4. Enabling an empty list is refused with `not_allowed`.
     *
     * Requires the admin key of the workspace.
     */
    ipAllowlist: Method<'admin.ipAllowlist'>
    /**
     * Require an API key on instance routes, or stop requiring it
     *
     * Takes effect immediately for all instances of the workspace. Refused with `not_allowed` while no key has `instances:operate`.
     *
     * Requires the admin key of the workspace.
     */
    requireApiKey: Method<'admin.requireApiKey'>
    /**
     * Require Client-Token on instance routes, or stop requiring it
     *
     * Takes effect immediately for all instances of the workspace. Refused with `not_allowed` while no key has `instances:operate`.
     *
     * Requires the admin key of the workspace.
     */
    requireClientToken: Method<'admin.requireClientToken'>
    /**
     * Read the security switches
     *
     * Requires the admin key of the workspace.
     */
    security: Method<'admin.security'>
    /**
     * Export an instance as an archive
     *
     * Answers with an archive that the passphrase encrypts, in the age format, for an import at another server. With `move` the instance is stopped and stays stopped with the reason `moved`; its queue and its waiting events are in the archive. If the download is cut, repeat the request. Delete the instance when it is connected at its new place. With `backup` it goes on, and the archive has its device and its settings only. Refused with `not_allowed` for an instance that is not linked, and unless the address of the service begins with https or a program on its machine calls it directly. An instance that is `moved` accepts no messages.
     *
     * Requires the admin key of the workspace.
     */
    exportInstance: Method<'admin.exportInstance'>
    /**
     * Import an instance, without pairing it again
     *
     * The body is a file: an archive of `POST /admin/instances/{instance_id}/export` or `instance export`, or the data of another program, as `docs/moving.md` shows. Its other fields are in the query. `svc`: an archive. `baileys`: a JSON object that has the files of the folder as its fields. `whatsmeow` and `zapo`: the SQLite file, or rows. `evolution`, `fazer`, `openwa` and `waha`: rows. The instance is connected at once. An instance from an archive keeps its id and, unless the archive is a backup, its token. With `dry_run` nothing is written, and the answer has the same report. Either the whole instance is imported or nothing. Refused with `already_linked` if the device or an instance with its id is already here, with `not_importable` and the reasons in `details.issues` if the file is damaged, has no device or has another passphrase, and with `not_allowed` as the export is. Larger files are imported with the command `instance import`.
     *
     * Requires the admin key of the workspace.
     */
    importInstance: Method<'admin.importInstance'>
    /**
     * Start an instance again whose move was cancelled
     *
     * For an instance with the reason `moved` whose device was never connected at the other place; refused with `not_allowed` otherwise. If it was connected there, its keys have changed, and recipients would silently drop the first messages from here: delete the instance while it is stopped, and import it again. Messages and events that the command `instance export` put into the archive are not here any more; after a move over HTTP they are.
     *
     * Requires the admin key of the workspace.
     */
    resumeInstance: Method<'admin.resumeInstance'>
    /**
     * List the apps with access to `/mcp`, newest first
     *
     * Revoked and expired apps are not listed.
     *
     * Requires the admin key of the workspace.
     */
    listOauthApps: Method<'admin.listOauthApps'>
    /**
     * Revoke an app
     *
     * The tokens of the app stop working immediately.
     *
     * Requires the admin key of the workspace.
     */
    revokeOauthApp: Method<'admin.revokeOauthApp'>
    /**
     * Hand over to a standby, or have a member leave its cluster
     *
     * The active service finishes its requests, closes the sessions of the accounts without a logout, and ends its process; a standby takes over, usually within a second. The supervisor of the process must start it again, although its exit code is 0; it is then the standby. Use it before maintenance of a machine, and to upgrade one service after the other. Refused with `not_allowed` while no standby answers that it can take over, for a service that is not active or would not be a standby after its next start, and for the admin key of any workspace but the first. The answer comes before the handover. A member of a cluster (`SVC_CLUSTER`) gives its accounts to the other members and ends; it may be named in a request to any member. Refused with `not_allowed` if there is no other member, or if the named one does not answer.
     *
     * Requires the admin key of the workspace.
     */
    drainNode: Method<'admin.drainNode'>
    /**
     * List the services on the store, the active one first
     *
     * A store in PostgreSQL can have one active service and standbys that wait to take over from it, or several active services (`SVC_CLUSTER`). Any other store has only the service that answers. Only the admin key of the first workspace may read the list. All times are by the clock of the store.
     *
     * Requires the admin key of the workspace.
     */
    listNodes: Method<'admin.listNodes'>
    /**
     * Send the events of a range again
     *
     * The events of the range whose bodies are still stored go back into the normal schedule, due now and in order; at most the oldest 10,000. If there are more, a second call with `next_from` as `from` takes the next ones.
     *
     * Requires the admin key of the workspace.
     */
    replayWebhooks: Method<'admin.replayWebhooks'>
    /**
     * Send one event again, now
     *
     * Makes one attempt before all waiting events of the instance, to the URL configured now, with the same `event_id` and body and a new signature. The answer is the entry after the attempt. Refused with `not_found` when the body is no longer stored, with `not_allowed` when the type has no URL.
     *
     * Requires the admin key of the workspace.
     */
    resendWebhook: Method<'admin.resendWebhook'>
    /**
     * Send many events again
     *
     * The events go back into the normal schedule, due now and in order.
     *
     * Requires the admin key of the workspace.
     */
    resendWebhooks: Method<'admin.resendWebhooks'>
    /**
     * List the webhook log: events and their outcomes, newest first
     *
     * One entry per event, kept for 7 days and at most 100,000 per instance; entries of waiting events stay. An entry names the chat and the message, and has what the receiver answered, but no content: the body of an event is stored encrypted until the event is delivered, or for 72 h after it failed, and is never shown.
     *
     * Requires the admin key of the workspace.
     */
    webhookLog: Method<'admin.webhookLog'>
  }
  system: {
    /**
     * Open the API reference as a page
     *
     * The page shows this description and can send requests. The service itself serves all of its files.
     *
     * Requires no credential of an account.
     */
    docs: Method<'system.docs'>
    /**
     * Check that the process answers
     *
     * Requires no credential of an account.
     */
    live: Method<'system.live'>
    /**
     * Read the metrics for Prometheus
     *
     * Text format 0.0.4. If `SVC_METRICS_TOKEN` is set, that token is required. Otherwise only callers with loopback and private addresses get the metrics, and others get `not_found`. No label contains a phone number, an instance id, a token or a URL.
     *
     * Requires no credential of an account.
     */
    metrics: Method<'system.metrics'>
    /**
     * Read the OpenAPI description of this API
     *
     * The description is OpenAPI 3.1.0, generated from the routes of the running service. It is compressed if the client accepts gzip.
     *
     * Requires no credential of an account.
     */
    openapi: Method<'system.openapi'>
    /**
     * Check that the service is ready
     *
     * Does not depend on the state of sessions. `database` also fails for ten seconds after the disk refused a write. `disk` fails while less than `SVC_DISK_RESERVE_MB` is free; sends are then refused, and the message explains it. While the service is starting or stopping, or when a check fails, the answer is `engine_unavailable` with the checks, and the message says what a start is waiting for. `media` reports whether a converter is installed; without one the service is ready, but some media cannot be sent. `warning` is present while the clock of the machine is far ahead, or while ids and times that were issued during that are still ahead. It is also present while a bucket of `SVC_BLOBS_URL` or `SVC_MEDIA_URL` cannot be used.
     *
     * Requires no credential of an account.
     */
    ready: Method<'system.ready'>
    /**
     * Read the version of the running service
     *
     * Requires no credential of an account.
     */
    version: Method<'system.version'>
  }
}
