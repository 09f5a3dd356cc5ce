/** Channels as the network has them. */

export interface Post {
  serverId: number
  id: string
  at: number
  message: Uint8Array
  /** Each reader's reaction, by the number of the reader. */
  reactions: Record<string, string>
  /** Attributes of the stanza that published it or last edited it. */
  attrs?: Record<string, string>
  mediaType?: string | undefined
  /** Type of the stanza: `text`, `media`, `poll`; absent in the data of earlier releases. */
  type?: string | undefined
  meta?: Record<string, string> | undefined
}

export interface Follower {
  role: 'OWNER' | 'ADMIN' | 'SUBSCRIBER'
  isMuted: boolean
  /** A setting of an administrator: no notices of new followers. */
  hidesFollowers?: boolean
}

export interface Newsletter {
  id: string
  name: string
  description: string
  createdAt: number
  invite: string
  owner: string
  /** All followers by their number. */
  subscribers: Map<string, Follower>
  posts: Post[]
  picture?: string | undefined
  /** State of the channel; by default ACTIVE. */
  state?: 'ACTIVE' | 'SUSPENDED' | 'GEOSUSPENDED'
  isVerified?: boolean
  handle?: string
  /** Codes of allowed reactions; by default ALL. */
  reactionCodes?: string
  /** Views of the directory that list the channel. */
  listing?: { views: string[]; country: string }
  /** Number of times that a linked device queried the metadata. */
  metadataQueries?: number
  /** Numbers that were invited to administer the channel. */
  invited?: string[]
  /** Linked devices that are subscribed to live updates, by address, and the end of the subscription (epoch seconds). */
  live?: Map<string, number>
}
