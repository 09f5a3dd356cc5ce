import type { Companion, Group, Network, Person } from './model.ts'
import { jidOf } from './people.ts'

/** Everything there is, as `GET /state` shows it. */
export function describeState(network: Network) {
  const people = [...network.people.values()]
  return {
    phones: people.filter((person) => person.isPhone).map(describePhone),
    contacts: people.filter((person) => !person.isPhone).map(describePerson),
    groups: [...network.groups.values()].map(describeGroup),
    newsletters: [...network.newsletters.values()].map(
      ({ id, name, description, invite, owner, subscribers, posts, metadataQueries }) => ({
        id,
        name,
        description,
        invite,
        owner,
        metadata_queries: metadataQueries ?? 0,
        subscribers: Object.fromEntries([...subscribers].map(([number, { role }]) => [number, role])),
        posts: posts.map(({ id, serverId, reactions }) => ({ id, server_id: String(serverId), reactions })),
      }),
    ),
  }
}

function describePerson(person: Person) {
  const { number, lid, name, platform, business, presence, blocklist, privacy, about, picture, heard } = person
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
    /** What the gateway told this person besides messages: receipts, typing, tokens. */
    heard,
  }
}

function describePhone(person: Person) {
  return {
    ...describePerson(person),
    /** Linked devices: the gateway's instances. */
    devices: [...person.companions.values()].map(describeCompanion),
    app_state: Object.fromEntries(person.appState.actions),
    default_ephemeral_seconds: person.defaultEphemeralSeconds,
    /** JIDs of whom it reported to the network. */
    reports: person.reports ?? [],
    /** Numbers that a setting leaves out, by its name. */
    privacy_lists: Object.fromEntries([...person.privacyLists].map(([name, numbers]) => [name, [...numbers]])),
  }
}

function describeCompanion({ device, os, preKeys, pending, connection, isAvailable }: Companion) {
  return {
    device,
    os,
    connected: connection !== undefined,
    available: isAvailable,
    pre_keys: preKeys.size,
    pending: pending.size,
  }
}

function describeGroup(group: Group) {
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
    picture_queries: group.pictureQueries ?? 0,
  }
}
