ALTER TABLE `event_delta` ADD `zone_id` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `event_delta` ADD `owner` blob;--> statement-breakpoint
ALTER TABLE `event_delta` ADD `type` integer;--> statement-breakpoint
CREATE INDEX `event_delta_owner` ON `event_delta` (`zone_id`,`owner`,`type`) WHERE "event_delta"."owner" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `event_delta_several` ON `event_delta` (`zone_id`) WHERE "event_delta"."owner" IS NULL AND "event_delta"."layer" = 0;