/** The data of a group, without its members. */
export interface GroupFacts {
  readonly id: string
  subject: string
  subjectAt: number
  createdAt: number
  addressing: 'lid' | 'pn'
  announce: boolean
  restrict: boolean
  ephemeralSeconds: number
  joinApproval: boolean
  memberAddMode: 'admin_add' | 'all_member_add'
  isSuspended: boolean
  /** Time at which a member appealed against the suspension of the group, in epoch seconds. */
  appealedAt?: number
  invite: string
  isCommunity: boolean
  /** For a community: whether members may add groups to it. */
  membersAddGroups: boolean
  /** Whether this group is the announcement group of a community. */
  isAnnouncementGroup: boolean
  linkedParent: string | undefined
  picture: string | undefined
  pictureQueries?: number
  /** For each simulated device, by its address: the devices that have its sender key. */
  keyHolders: Map<string, Set<string>>
  /** A key that the client chose when it created the group. If it repeats the request with the same key, no second group is created. */
  key?: string
  /** The most members. By default it is the network's limit (`groups.ts`). */
  capacity?: number
  /** Codes of invitations that were revoked. */
  revokedInvites?: Set<string>
  /** Numbers of people whom an administrator has removed. They cannot join with the link again. */
  removed?: Set<string>
  /** Settings that are switched on, by their tag on the network. Absent in the data of earlier releases. */
  flags?: Set<string>
  /** Values of settings that are a keyword: `member_link_mode`, `member_share_group_history_mode`. */
  modes?: Map<string, string>
  /** Version of the group's data, without the members. */
  settingsVersion?: string
  /**
   * Version of the list of members, which the server sends with each change. It is absent in the data of earlier
   * releases.
   */
  membersVersion?: string
}
