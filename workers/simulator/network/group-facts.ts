/** The data of a group in which no person is. */
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
  /** Devices that have the sender key of a simulated device, by the address of that device. */
  keyHolders: Map<string, Set<string>>
  /**
   * A key that the client chose for the creation. If a request is repeated with the same key, no second group is
   * created.
   */
  key?: string
  /** The most members. By default it is the network's limit (`groups.ts`). */
  capacity?: number
  /** Codes of invitations that were revoked. */
  revokedInvites?: Set<string>
  /** Numbers of people whom an admin removed. They can no longer join by the link. */
  removed?: Set<string>
  /** Settings that are on, by their tag on the network. The field is absent in the data of earlier releases. */
  flags?: Set<string>
  /** Values of the settings that have a keyword: `member_link_mode`, `member_share_group_history_mode`. */
  modes?: Map<string, string>
  /** Version of all data of the group except the members. */
  settingsVersion?: string
  /**
   * Version of the list of members, which the server sends with each change. It is absent in the data of earlier
   * releases.
   */
  membersVersion?: string
}
