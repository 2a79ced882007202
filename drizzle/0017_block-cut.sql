-- Where there are events there may be blocks, cut without a key: a rebuild draws one then.
CREATE TABLE `block_cut` (
	`key` blob NOT NULL
) STRICT;
--> statement-breakpoint
INSERT INTO `block_cut` (`key`) SELECT randomblob(8) WHERE NOT EXISTS (SELECT 1 FROM `event`);
