/** The data of channels on the network. */

export interface Post {
  serverId: number
  id: string
  at: number
  message: Uint8Array
  /** The reaction of each reader, by the number of the reader. */
  reactions: Record<string, string>
  /** Attributes of the stanza that published the post or edited it last. */
  attrs?: Record<string, string>
  mediaType?: string | undefined
  /** Type of the stanza: `text`, `media` or `poll`. It is absent in the data of earlier releases. */
  type?: string | undefined
  meta?: Record<string, string> | undefined
}

export interface Follower {
  role: 'OWNER' | 'ADMIN' | 'SUBSCRIBER'
  isMuted: boolean
  /** An administrator's setting: whether notifications of new followers are switched off. */
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
  /** State of the channel, ACTIVE by default. */
  state?: 'ACTIVE' | 'SUSPENDED' | 'GEOSUSPENDED'
  isVerified?: boolean
  handle?: string
  /** Code that says which reactions are allowed, ALL by default. */
  reactionCodes?: string
  /** Views of the directory in which the channel is listed. */
  listing?: { views: string[]; country: string }
  /** Number of times that a linked device queried the metadata. */
  metadataQueries?: number
  /** Numbers that were invited to administer the channel. */
  invited?: string[]
  /**
   * Linked devices that are subscribed to live updates, by address, with the time in epoch seconds at which the
   * subscription ends.
   */
  live?: Map<string, number>
}
