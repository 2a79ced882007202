CREATE TABLE `desired_rrset` (
	`zone_id` integer NOT NULL,
	`owner` blob NOT NULL,
	`type` integer NOT NULL,
	`team` text NOT NULL,
	`ttl` integer NOT NULL,
	`rdata` text NOT NULL,
	PRIMARY KEY(`zone_id`, `owner`, `type`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `desired_rrset_team` ON `desired_rrset` (`zone_id`,`team`);