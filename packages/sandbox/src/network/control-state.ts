import type { Companion, Group, Network, Person } from './model.ts'
import { describeCeremony } from './passkey-ceremony.ts'
import { jidOf } from './people.ts'
import { pictureUrl } from './pictures.ts'

export function describeState(network: Network) {
  const people = [...network.people.values()]
  return {
    phones: people.filter((person) => person.isPhone).map(describePhone),
    contacts: people.filter((person) => !person.isPhone).map(describePerson),
    groups: [...network.groups.values()].map((group) => describeGroup(network, group)),
    newsletters: [...network.newsletters.values()].map(
      ({ id, name, description, invite, owner, subscribers, posts, invited = [], ...more }) => ({
        id,
        name,
        description,
        invite,
        owner,
        metadata_queries: more.metadataQueries ?? 0,
        subscribers: Object.fromEntries([...subscribers].map(([number, { role }]) => [number, role])),
        muted: [...subscribers].flatMap(([number, { isMuted }]) => (isMuted ? [number] : [])),
        invited,
        picture: more.picture === undefined ? null : pictureUrl(network, more.picture),
        reaction_codes: more.reactionCodes ?? 'ALL',
        posts: posts.map(({ id, serverId, reactions }) => ({ id, server_id: String(serverId), reactions })),
      }),
    ),
  }
}

function describePerson(person: Person) {
  const { number, lid, name, platform, business, presence, blocklist, privacy, about, picture, signals } = person
  return {
    phone: number,
    lid,
    name,
    platform,
    business,
    presence,
    about: about ?? null,
    devices: person.devices.map(({ id, received }) => ({ id, received })),
    has_picture: picture !== undefined,
    picture_queries: person.pictureQueries ?? 0,
    blocklist: [...blocklist],
    privacy: Object.fromEntries(privacy),
    /** Receipts, typing indicators, tokens and call stanzas of the gateway for this person. */
    heard: signals,
  }
}

function describePhone(person: Person) {
  return {
    ...describePerson(person),
    demands_passkey: person.passkey !== undefined,
    ceremony: person.ceremony ? describeCeremony(person.ceremony) : null,
    devices: [...person.companions.values()].map(describeCompanion),
    app_state: Object.fromEntries(person.appState.actions),
    app_state_problems: person.appState.problems ?? [],
    default_ephemeral_seconds: person.defaultEphemeralSeconds,
    notices: [...(person.notices ?? [])],
    reports: person.reports ?? [],
    privacy_lists: Object.fromEntries([...person.privacyLists].map(([name, numbers]) => [name, [...numbers]])),
  }
}

function describeCompanion({ device, os, preKeys, pending, connection, isAvailable, login, sessionTimes }: Companion) {
  return {
    device,
    os,
    connected: connection !== undefined,
    available: isAvailable,
    pre_keys: preKeys.size,
    pending: pending.size,
    /** Epoch ms at which a session of the device began and ended last, since the start of the network. */
    opened_at: sessionTimes?.openedAt ?? null,
    closed_at: sessionTimes?.closedAt ?? null,
    /** `lc` counts the logins since the device was linked, `connect_attempt_count` those since it was started. */
    login: login ? { passive: login.passive, lc: login.lc, connect_attempt_count: login.connectAttemptCount } : null,
  }
}

function describeGroup(network: Network, group: Group) {
  const { id, subject, addressing, announce, restrict, ephemeralSeconds, joinApproval, isSuspended, invite, description } = group
  return {
    id,
    subject,
    description: description?.text ?? null,
    addressing,
    announce,
    restrict,
    ephemeral_seconds: ephemeralSeconds,
    join_approval: joinApproval,
    suspended: isSuspended,
    invite,
    owner: group.owner.number,
    participants: [...group.members.values()].map(({ person, role }) => ({
      phone: person.number,
      jid: jidOf(person, addressing),
      role,
    })),
    requests: [...group.requests.keys()],
    picture: group.picture === undefined ? null : pictureUrl(network, group.picture),
    picture_queries: group.pictureQueries ?? 0,
  }
}
