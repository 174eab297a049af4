import type { Builder } from './item.ts';
import { cat, floorLamp, unknownThing } from './cosy.ts';
import { desk, receptionStand } from './desk.ts';
import { fridge, island, kitchenCounter } from './kitchen.ts';
import { bushPot, cactusPot, monstera, planter, plantLeafy } from './plants.ts';
import { rugRect, rugRound } from './rugs.ts';
import { armchair, beanbag, meetingChair, officeChair, sofa, stool } from './seats.ts';
import { bookshelf, deliveryShelf, trophyShelf } from './shelves.ts';
import { coffeeTable, meetingTable, sideTable } from './tables.ts';
import { pictureFrame, stringLights, taskBoard, wallClock } from './wall.ts';

/** The builder for each kind of object. */
export const builders: Readonly<Record<string, Builder>> = {
  armchair, beanbag, bookshelf, bush: bushPot, cactus: cactusPot, cat, coffee_table: coffeeTable, delivery_shelf: deliveryShelf, desk,
  floor_lamp: floorLamp, fridge, island, kitchen_counter: kitchenCounter, meeting_chair: meetingChair, meeting_table: meetingTable, monstera,
  office_chair: officeChair, picture_frame: pictureFrame, plant_leafy: plantLeafy, planter, reception_stand: receptionStand,
  rug_rect: rugRect, rug_round: rugRound, side_table: sideTable, sofa, stool, string_lights: stringLights,
  task_board: taskBoard, trophy_shelf: trophyShelf, wall_clock: wallClock,
};

/**
 * Returns the builder of a kind, or the builder of a plain box for an unknown kind, for example from a newer server.
 */
export const builderOf = (kind: string): Builder => (Object.hasOwn(builders, kind) ? builders[kind]! : unknownThing);
